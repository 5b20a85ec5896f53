import { describe, expect, it } from "vitest";
import { makeClaim } from "../../src/session/claim.ts";

describe("makeClaim", () => {
  it("makes a session id of 19 digits near the present", () => {
    const before = Date.now();
    const { sessionId } = makeClaim();
    expect(sessionId).toMatch(/^mcp-\d{19}$/);
    const at = Number(BigInt(sessionId.slice(4)) / 1_000_000n);
    expect(at).toBeGreaterThanOrEqual(before - 1);
    expect(at).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it("never repeats an id and always increases, also within one tick and when the clock goes back", () => {
    const tick = 9_000_000_000_000_000_000n;
    const ids = [tick, tick, tick - 5n, tick].map((now) => makeClaim({ now: () => now }).sessionId);
    expect(ids).toEqual(["mcp-9000000000000000000", "mcp-9000000000000000001", "mcp-9000000000000000002", "mcp-9000000000000000003"]);
    const many = Array.from({ length: 1_000 }, () => makeClaim().sessionId);
    expect(new Set(many).size).toBe(1_000);
    expect(many).toEqual(many.toSorted());
  });

  it("uses the agent id that it is given, else mcp-<pid>", () => {
    expect(makeClaim({ agentId: "builder" }).agentId).toBe("builder");
    expect(makeClaim({ pid: 4711 }).agentId).toBe("mcp-4711");
    expect(makeClaim().agentId).toBe(`mcp-${process.pid}`);
  });

  it("is frozen", () => {
    const claim = makeClaim();
    expect(() => Object.assign(claim, { sessionId: "mcp-0" })).toThrow(TypeError);
  });
});
