import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";
import { operatorOf } from "./human.ts";
import { cleanEnv, PROGRAM } from "./run.ts";

/** Runs `regate` as a process that can write no byte more into any file, as on a full disk; its own output goes through pipes. */
function whenFull(words: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly lines: readonly string[];
} {
  const script = 'ulimit -f 0; exec "$0" "$@"';
  const ended = spawnSync("bash", ["-c", script, process.execPath, PROGRAM, ...words], { env: cleanEnv(), encoding: "utf8" });
  return { status: ended.status, stdout: ended.stdout, lines: ended.stderr.split("\n").filter(Boolean) };
}

it("on a full disk every decision is one line that says so, leaves nothing behind and works again when there is room (issue: full disk)", () => {
  const operator = operatorOf(join(temporaryFolder(), "state"));
  const places = ["--state-dir", operator.stateDir, "--keys-dir", operator.keysDir];
  operator.sign("stop", "--agent", "a");
  operator.sign("elevation", "grant", "--tool", "run_shell", "--agent", "a");
  const before = readdirSync(join(operator.stateDir, "locks"));
  const stops = readFileSync(join(operator.stateDir, "stops.jsonl"), "utf8");
  const signed = ["--reason", "r", "--key", "anna", ...places];
  for (const words of [
    ["stop", "--all", ...signed],
    ["resume", "--all", ...signed],
    ["elevation", "grant", "--tool", "run_shell", "--agent", "b", ...signed],
    ["lease", "grant", "--session", "s", "--from", "env:A", "--as", "TOKEN", ...signed],
    ["keys", "create", "otto", ...places],
    ["keys", "revoke", "anna", ...places],
  ]) {
    const ended = whenFull(words);
    expect([words[0], ended.status, ended.stdout, ended.lines.length]).toEqual([words[0], 1, "", 1]);
    expect(ended.lines[0]).toMatch(/\(EFBIG\)/);
  }
  expect(readdirSync(join(operator.stateDir, "locks"))).toEqual(before);
  expect(readFileSync(join(operator.stateDir, "stops.jsonl"), "utf8")).toBe(stops);
  expect(existsSync(join(operator.keysDir, "otto.key"))).toBe(false);
  expect(operator.run("keys", "create", "otto").status).toBe(0);
  operator.sign("stop", "--all");
  expect(JSON.parse(operator.run("stops", "--json").stdout)).toHaveLength(2);
});
