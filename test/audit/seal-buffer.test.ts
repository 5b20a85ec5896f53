import { spawnSync } from "node:child_process";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { headOf } from "../../src/audit/chain.ts";
import type { DecisionLog } from "../../src/audit/log.ts";
import { eventsOf, linesOf, openLog, outcomeOf, recordOf } from "./kit.ts";

// With CI set a missing part is a failure, not a skip.
const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Characters of one to four bytes in UTF-8, and those that JSON writes longer than they are. */
const UNITS = ["a", "é", "日", "😀", "\u2028", '"', "\\", "\u0001", "\u007f", "\uffff"];
/** Around the sizes at which the place where lines are put together grows, and above the one that is kept. */
const LENGTHS = [0, 1, 200, 10_500, 10_922, 32_768, 33_000, 120_000, 349_525, 400_000, 1_100_000];

/** Every line is canonical, hashed and chained to the one before it, as two other implementations see it. */
function expectChained(file: string): void {
  let before = { seq: 0, hash: "0".repeat(64) };
  for (const [index, line] of linesOf(file).entries()) {
    const head = headOf(line);
    expect([index, head?.seq]).toEqual([index, before.seq + 1]);
    expect(line.includes(`"prev_hash":"${before.hash}"`)).toBe(true);
    before = head ?? before;
  }
  if (!hasPython && !process.env["CI"]) return;
  const checked = spawnSync("python3", [join(import.meta.dirname, "verify_chain.py"), file], { encoding: "utf8" });
  expect(checked.stdout).toContain("chain intact");
}

describe("the place where the lines of all logs are put together", () => {
  it("gives every log its own lines, short after long and long after short", () => {
    const logs = [1, 2, 3].map((number) => openLog(undefined, `mcp-176452000000000000${number}`));
    const written = logs.map(() => 0);
    const step = record({
      log: integer({ min: 0, max: 2 }),
      unit: constantFrom(...UNITS),
      length: constantFrom(...LENGTHS),
      kind: constantFrom("decision", "outcome", "surrogate"),
    });
    assert(
      property(array(step, { minLength: 4, maxLength: 12 }), (steps) => {
        for (const { log: index, unit, length, kind } of steps) {
          const { log } = logs[index] as (typeof logs)[number];
          const text = unit.repeat(Math.ceil(length / unit.length));
          if (kind === "outcome") log.outcome(outcomeOf({ facts: { note: text } }));
          else if (kind === "decision") log.decision(recordOf({ arguments: { note: text, [`${unit}${unit}`]: [unit] } }));
          else expectErased(log, `${text}\ud800`);
          written[index] = (written[index] as number) + 1;
        }
      }),
      { numRuns: 12 },
    );
    for (const [index, { file }] of logs.entries()) {
      expect(eventsOf(file)).toHaveLength(written[index] as number);
      expectChained(file);
    }
  }, 120_000);

  it("loses nothing of a log that goes on after one whose file was cut", () => {
    const [cut, whole] = [openLog(undefined, "mcp-1764520000000000001"), openLog(undefined, "mcp-1764520000000000002")];
    cut.log.decision(recordOf({ arguments: { note: "日".repeat(40_000) } }));
    whole.log.decision(recordOf({ arguments: {} }));
    truncateSync(cut.file, 100);
    expect(() => cut.log.decision(recordOf({ arguments: { note: "x".repeat(200_000) } }))).toThrow(
      expect.objectContaining({ code: "audit.unavailable" }),
    );
    whole.log.decision(recordOf({ arguments: { note: "after" } }));
    expectChained(whole.file);
  });
});

/** What has no canonical form is not written: it is erased, on record, and the call must not run. */
function expectErased(log: DecisionLog, note: string): void {
  expect(() => log.decision(recordOf({ arguments: { note } }))).toThrow(expect.objectContaining({ code: "audit.redaction_failed" }));
}
