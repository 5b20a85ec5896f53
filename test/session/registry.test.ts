import { describe, expect, it } from "vitest";
import { osUser } from "../../src/session/os-user.ts";
import { createSessionRegistry } from "../../src/session/registry.ts";

const entry = (id: string) => ({ id, agent_id: "a", user: "u", principals: ["g"], created: "2026-01-01T00:00:00.000Z" });

describe("createSessionRegistry", () => {
  it("lists sessions sorted by id, until they leave", () => {
    const registry = createSessionRegistry();
    const leave = registry.register(entry("mcp-2"));
    registry.register(entry("mcp-1"));
    expect(registry.list().map((session) => session.id)).toEqual(["mcp-1", "mcp-2"]);
    leave();
    expect(registry.list().map((session) => session.id)).toEqual(["mcp-1"]);
  });

  it("refuses a second session of the same id", () => {
    const registry = createSessionRegistry();
    registry.register(entry("mcp-1"));
    expect(() => registry.register(entry("mcp-1"))).toThrow("session `mcp-1` is already registered");
  });

  it("hands out nothing that changes it", () => {
    const registry = createSessionRegistry();
    registry.register(entry("mcp-1"));
    for (const session of registry.list()) {
      expect(() => Object.assign(session, { id: "x" })).toThrow(TypeError);
      expect(() => (session.principals as string[]).push("root")).toThrow(TypeError);
    }
    expect.assertions(2);
  });
});

describe("osUser", () => {
  it("names the user of this process and its groups, sorted and never absent", () => {
    const { user, groups } = osUser();
    expect(user).not.toBe("");
    expect(groups.length).toBeGreaterThan(0);
    expect([...groups]).toEqual([...new Set(groups)].toSorted());
  });
});
