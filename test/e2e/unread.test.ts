import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";
import { operatorOf } from "./human.ts";
import { cleanEnv, PROGRAM } from "./run.ts";

/** Runs `regate` with an output that takes nothing. */
function unread(words: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const script = 'exec "$0" "$@" >/dev/full';
  return spawnSync("bash", ["-c", script, process.execPath, PROGRAM, ...words], { env: cleanEnv(), encoding: "utf8" });
}

it("what was done is said on stderr when the output cannot be written, so that nobody believes that it was not", () => {
  const operator = operatorOf(join(temporaryFolder(), "state"));
  const places = ["--state-dir", operator.stateDir, "--keys-dir", operator.keysDir];
  const signed = ["--reason", "r", "--key", "anna", ...places];
  for (const [words, said] of [
    [["stop", "--all", ...signed], /^regate: everything is stopped \([0-9a-f]{32}\)\n$/],
    [["resume", "--all", ...signed], /^regate: everything is resumed: 1 lifted\n$/],
    [["elevation", "grant", "--tool", "a", "--agent", "b", ...signed], /^regate: elevation [0-9a-f]{32} is in force until .*\n$/],
    [["lease", "grant", "--session", "s", "--from", "env:A", "--as", "TOKEN", ...signed], /^regate: lease [0-9a-f]{32} gives `TOKEN` .*\n/],
    [["keys", "create", "otto", ...places], /^regate: key `otto` of .*\n$/],
  ] as const) {
    const ended = unread(words);
    expect([words[0], ended.status]).toEqual([words[0], 0]);
    expect(ended.stderr).toMatch(said);
  }
  expect(operator.run("stops", "--json").stdout).toBe("[]\n");
});

it("a file that is no halt keeps nobody from resuming", () => {
  const operator = operatorOf(join(temporaryFolder(), "state"));
  operator.sign("stop", "--all");
  mkdirSync(join(operator.stateDir, "halts"));
  writeFileSync(join(operator.stateDir, "halts", "mcp-1000000000000000000.json"), "{", { mode: 0o600 });
  expect(operator.run("resume", "--all", "--reason", "r", "--key", "anna")).toMatchObject({
    status: 0,
    stdout: "everything is resumed: 1 lifted\n",
    stderr: "",
  });
});
