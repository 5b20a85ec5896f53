import { describe, expect, test } from "vitest";
import { readRedactedTail } from "../../src/audit/tail.ts";
import type { JsonObject } from "../../src/call/json.ts";
import { checkArguments } from "../../src/tools/arguments.ts";
import { auditLogTool } from "../../src/tools/audit-log.ts";
import { linesOf, openLog, recordOf } from "../audit/kit.ts";
import { contextOf } from "./kit.ts";

function toolOver(file: string) {
  return auditLogTool({ readLog: (query) => readRedactedTail({ file, ...query }) });
}

describe("arguments", () => {
  const { input } = toolOver("/nonexistent");
  test.each<[JsonObject, unknown]>([
    [{}, { limit: 50 }],
    [
      { limit: 1, filter: "x" },
      { limit: 1, filter: "x" },
    ],
    [{ limit: 10_000 }, { limit: 10_000 }],
    [{ limit: 0 }, "`limit`: limit must be greater than zero"],
    [{ limit: -5 }, "`limit`: limit must be greater than zero"],
    [{ limit: 10_001 }, "`limit`: limit must not exceed 10000"],
    [{ limit: 1.5 }, "`limit`: limit must be a whole number"],
    [{ limit: "5" }, "`limit`: limit must be a whole number"],
    [{ filter: 1 }, "`filter`: expected string, received number"],
    [{ file: "/etc/passwd" }, "`file` is not an argument of this tool"],
  ])("%j", (args, expected) => {
    const result = checkArguments(input, args);
    expect(result.ok ? result.value : result.problem).toEqual(expected);
  });
});

describe("lines", () => {
  test("of this session, oldest first, the newest `limit`, exactly as in the file", async () => {
    const { log, file } = openLog();
    for (let n = 0; n < 5; n += 1) log.decision(recordOf({ arguments: { n, password: "hunter2" } }));
    const tool = toolOver(file);
    const all = await tool.handler({ limit: 50 }, contextOf({}));
    expect(all.structured).toEqual({ lines: linesOf(file), truncated: false });
    expect(all.text).toBe(linesOf(file).join("\n"));
    expect(all.text).not.toContain("hunter2");
    expect((await tool.handler({ limit: 2 }, contextOf({}))).structured["lines"]).toEqual(linesOf(file).slice(-2));
    expect((await tool.handler({ limit: 2, filter: '"n":1' }, contextOf({}))).structured["lines"]).toEqual([linesOf(file)[1]]);
    expect((await tool.handler({ limit: 2, filter: "HUNTER2" }, contextOf({}))).structured["lines"]).toEqual([]);
    expect(tool.output.safeParse(all.structured).success).toBe(true);
  });

  test("no log: no lines", async () => {
    expect(await toolOver("/nonexistent/log.jsonl").handler({}, contextOf({}))).toEqual({
      structured: { lines: [], truncated: false },
      text: "(no audit log entries)",
    });
  });

  test("the answer stays below 2 MB, whatever is in the log", async () => {
    const { log, file } = openLog();
    for (let n = 0; n < 30; n += 1) log.decision(recordOf({ arguments: { text: '"\\'.repeat(30_000) } }));
    const { structured, text } = await toolOver(file).handler({ limit: 10_000 }, contextOf({}));
    expect(structured["truncated"]).toBe(true);
    expect((structured["lines"] as unknown[]).length).toBeGreaterThan(0);
    const answer = { content: [{ type: "text", text }], structuredContent: structured };
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(1_990_000);
  });
});
