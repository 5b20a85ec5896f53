import { expect, test } from "vitest";
import { createSessionRegistry } from "../../src/session/registry.ts";
import { checkArguments } from "../../src/tools/arguments.ts";
import { listSessionsTool } from "../../src/tools/list-sessions.ts";
import { contextOf } from "./kit.ts";

test("the sessions of this process, with the named fields only", async () => {
  const registry = createSessionRegistry();
  for (const id of ["mcp-2", "mcp-1"])
    registry.register({ id, agent_id: "a", user: "u", principals: ["root"], created: "2026-11-30T16:26:40.123Z" });
  const tool = listSessionsTool({ listSessions: () => registry.list() });
  const { structured } = await tool.handler({}, contextOf({}));
  expect(structured).toEqual({
    sessions: [
      { id: "mcp-1", agent_id: "a", user: "u", created: "2026-11-30T16:26:40.123Z" },
      { id: "mcp-2", agent_id: "a", user: "u", created: "2026-11-30T16:26:40.123Z" },
    ],
  });
  expect(tool.output.safeParse(structured).success).toBe(true);
});

test("no session is an empty list; counts are shown where there are any", async () => {
  const one = { id: "s", agent_id: "a", user: "u", created: "c", last_active: "l", calls: 3, command: "secret" };
  const outputs = [[], [one]].map((sessions) => listSessionsTool({ listSessions: () => sessions }).handler({}, contextOf({})));
  expect((await Promise.all(outputs)).map(({ structured }) => structured)).toEqual([
    { sessions: [] },
    { sessions: [{ id: "s", agent_id: "a", user: "u", created: "c", last_active: "l", calls: 3 }] },
  ]);
});

test("it takes no arguments", () => {
  const { input } = listSessionsTool({ listSessions: () => [] });
  expect(checkArguments(input, { all: true })).toEqual({ ok: false, problem: "`all` is not an argument of this tool" });
});
