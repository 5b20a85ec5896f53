import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { APPROVALS_COMMANDS } from "../../src/cli/approvals.ts";
import type { Arguments, Command, Io } from "../../src/cli/command.ts";
import { STOP_COMMANDS } from "../../src/cli/stop.ts";
import { fileRequest } from "../admin/approval-file.ts";
import { temporaryFolder } from "../audit/kit.ts";

interface Ran {
  readonly code: Promise<number>;
  readonly notes: string[];
  readonly stdout: PassThrough;
}

/** Runs a command in this process, as `main.ts` would. */
function start(commands: readonly Command[], path: string, { stateDir, stop }: { stateDir: string; stop: AbortSignal }): Ran {
  const command = commands.find((candidate) => candidate.path.join(" ") === path);
  if (command === undefined) throw new Error(`no command ${path}`);
  const notes: string[] = [];
  const stdout = new PassThrough().setEncoding("utf8");
  const io: Io = {
    stdin: new PassThrough(),
    stdout,
    note: (line) => notes.push(line),
    stderr: (text) => notes.push(text),
    stopSignal: () => stop,
  };
  const args: Arguments = { values: new Map([["state-dir", stateDir]]), lists: new Map(), switches: new Set(["json"]), words: [] };
  return { code: command.run(args, io), notes, stdout };
}

/** The state directory of a store with one request and one file that is none. */
function withForeignRequest(): string {
  const stateDir = temporaryFolder();
  fileRequest(stateDir);
  writeFileSync(join(stateDir, "approvals", "pending", `${"0".repeat(32)}.json`), "{", { mode: 0o600 });
  return stateDir;
}

describe("approvals watch", () => {
  it("says once what cannot be read, however often it looks", async () => {
    const stop = new AbortController();
    const stateDir = withForeignRequest();
    const { code, notes, stdout } = start(APPROVALS_COMMANDS, "approvals watch", { stateDir, stop: stop.signal });
    const seen: string[] = [];
    stdout.on("data", (text: string) => seen.push(...text.split("\n").filter(Boolean)));
    await expect.poll(() => seen).toHaveLength(1);
    // Each of these is a change, at which it looks again.
    for (let count = 2; count <= 4; count += 1) {
      fileRequest(stateDir);
      await expect.poll(() => seen).toHaveLength(count);
    }
    stop.abort();
    expect(await code).toBe(0);
    expect(notes).toHaveLength(1);
  });

  it("ends at once when it was told to end while it began", async () => {
    const { code } = start(APPROVALS_COMMANDS, "approvals watch", { stateDir: temporaryFolder(), stop: AbortSignal.abort() });
    expect(await code).toBe(0);
  });
});

it("stops lists what can be read, names the halt that cannot, and fails", async () => {
  const stateDir = temporaryFolder();
  mkdirSync(join(stateDir, "halts"), { mode: 0o700 });
  writeFileSync(join(stateDir, "halts", "mcp-1796000000000000001.json"), "{", { mode: 0o600 });
  const { code, notes, stdout } = start(STOP_COMMANDS, "stops", { stateDir, stop: AbortSignal.any([]) });
  expect([await code, stdout.read()]).toEqual([1, "[]\n"]);
  expect(notes).toEqual([expect.stringMatching(/^session `mcp-1796000000000000001` is halted, since .* is not the record of a halt$/)]);
});
