import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkArguments } from "../../src/tools/arguments.ts";

const schema = z.strictObject({
  command: z.string().min(1),
  dry_run: z.boolean().optional(),
  limit: z.number().int().max(10).default(5),
  where: z.strictObject({ city: z.string() }).optional(),
});

describe("checkArguments", () => {
  it("hands on frozen arguments with defaults", () => {
    const checked = checkArguments(schema, { command: "ls" });
    expect(checked).toEqual({ ok: true, value: { command: "ls", limit: 5 } });
    expect(checked.ok && Object.isFrozen(checked.value)).toBe(true);
  });

  it("accepts agent_id and session_id of any form, and ignores them", () => {
    expect(checkArguments(schema, { command: "ls", agent_id: { a: 1 }, session_id: null })).toEqual({
      ok: true,
      value: { command: "ls", limit: 5 },
    });
  });

  const bad: [string, string, string][] = [
    ["a missing argument", "{}", "`command`: expected string, received undefined"],
    ["a wrong type", '{"command": 7}', "`command`: expected string, received number"],
    ["null", '{"command": null}', "`command`: expected string, received null"],
    ["a bound", '{"command": "ls", "limit": 11}', "`limit`: too big: expected number to be <=10"],
    ["an unknown argument", '{"command": "ls", "risk": "read"}', "`risk` is not an argument of this tool"],
    [
      "an unknown argument below",
      '{"command": "ls", "where": {"city": "x", "agent_id": 1}}',
      "`where.agent_id` is not an argument of this tool",
    ],
    ["__proto__", '{"command": "ls", "__proto__": {"dry_run": true}}', "`__proto__` is not an argument of this tool"],
    ["constructor", '{"command": "ls", "constructor": 1}', "`constructor` is not an argument of this tool"],
    ["a look-alike of agent_id", '{"command": "ls", "Agent_id": 1}', "`Agent_id` is not an argument of this tool"],
    ["a name that would disguise the line", '{"command": "ls", "a\\n\\u202eb": 1}', "`a\\u{a}\\u{202e}b` is not an argument of this tool"],
    ["a long name", `{"command": "ls", "${"n".repeat(500)}": 1}`, `\`${"n".repeat(64)}\` is not an argument of this tool`],
  ];
  it.each(bad)("refuses %s in one line", (_, text, problem) => {
    expect(checkArguments(schema, JSON.parse(text))).toEqual({ ok: false, problem });
  });
});
