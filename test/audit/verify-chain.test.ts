import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../src/audit/canonical.ts";
import type { JsonObject } from "../../src/call/json.ts";
import { linesOf, openLog, outcomeOf, recordOf, temporaryFolder } from "./kit.ts";

const CHECKER = join(import.meta.dirname, "verify_chain.py");
const hasPython = spawnSync("python3", ["--version"]).status === 0;
// With CI set a missing part is a failure, not a skip.
const isSkipped = !hasPython && !process.env["CI"];

function verify(file: string): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync("python3", [CHECKER, file], { encoding: "utf8" });
  return { status, text: `${stdout}${stderr}`.trim() };
}

/** A log whose events hold what canonical forms differ on: keys beyond the BMP, numbers at the borders (trial E04). */
function oddLog(note = "a"): string {
  const { log, file } = openLog();
  const odd: JsonObject = {
    "\ue000": 1,
    "\u{1f600}": 2,
    "10": 1e30,
    "9": 1e-6,
    "1": -0,
    z: [1e21, 1e-7, 5e-324, 0.1, 123_456_789.5],
    é: '\u0000\u001f\u007f\u2028"\\/',
  };
  log.decision(recordOf({ note, arguments: odd }));
  log.outcome(outcomeOf());
  log.decision(recordOf({ arguments: { password: "x1" } }));
  return file;
}

describe.skipIf(isSkipped)("an independent checker in another language (needs python3)", () => {
  test("verifies a log with odd keys and numbers", () => {
    expect(verify(oddLog())).toEqual({ status: 0, text: "3 events, chain intact" });
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    [
      "a changed value",
      (lines) => [lines[0]!, lines[1]!.replace('"exit_code":0', '"exit_code":1'), lines[2]!],
      "line 2: hash does not fit",
    ],
    ["a removed line", (lines) => [lines[0]!, lines[2]!], "line 2: seq is 3"],
    ["exchanged lines", (lines) => [lines[1]!, lines[0]!, lines[2]!], "line 1: seq is 2"],
    ["a line of another chain", (lines) => [lines[0]!, linesOf(oddLog("b"))[1]!, lines[2]!], "line 2: prev_hash does not follow"],
  ])("finds %s", (_name, change, problem) => {
    const file = join(temporaryFolder(), "changed.jsonl");
    writeFileSync(file, `${change(linesOf(oddLog())).join("\n")}\n`);
    const found = verify(file);
    expect(found.status).toBe(1);
    expect(found.text).toContain(problem);
  });

  test("finds a cut last line", () => {
    const file = join(temporaryFolder(), "cut.jsonl");
    writeFileSync(file, readFileSync(oddLog(), "utf8"));
    appendFileSync(file, '{"custom":');
    expect(verify(file)).toEqual({ status: 1, text: "the last line is not whole" });
  });

  test("writes numbers as this project does", () => {
    const numbers = [
      ...fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { numRuns: 2000, seed: 7 }),
      1,
      -0,
      1e20,
      1e21,
      123e-9,
      1e-6,
      1e-7,
      100,
      0.5,
    ];
    const folder = temporaryFolder();
    writeFileSync(join(folder, "numbers.json"), JSON.stringify(numbers));
    const script = `import json,sys; sys.path.insert(0, ${JSON.stringify(import.meta.dirname)}); sys.dont_write_bytecode = True
from verify_chain import canonical
print(canonical(json.load(open(sys.argv[1]))))`;
    const { stdout } = spawnSync("python3", ["-c", script, join(folder, "numbers.json")], { encoding: "utf8" });
    expect(stdout.trim()).toBe(canonicalJson(numbers));
  });
});
