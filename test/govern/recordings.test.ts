import { createHash } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { rememberSecret } from "../../src/audit/live-secrets.ts";
import { redactJson } from "../../src/audit/redact.ts";
import { listRecordings } from "../../src/govern/recording-list.ts";
import { openRecording } from "../../src/govern/recordings.ts";

const root = mkdtempSync(join(tmpdir(), "regate-recordings-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SESSION = "mcp-1796055600000000001";
let folders = 0;
const newStateDir = (): string => join(root, `state-${(folders += 1)}`);
const open = (stateDir: string, sessionId = SESSION) =>
  openRecording({ stateDir, sessionId, now: () => new Date("2026-11-30T16:26:40.123Z") });

describe("a recording", () => {
  it("has one event a line for input and output, in a file 0600 and a folder 0700", () => {
    const stateDir = newStateDir();
    const recording = open(stateDir);
    const call = { decisionId: "d-1", tool: "run_shell", arguments: { command: "echo hi" } };
    recording.input(call);
    recording.output(call, { structuredContent: { exit_code: 0, stdout: "hi\n" } });
    recording.close();
    const file = join(stateDir, "recordings", `${SESSION}.jsonl`);
    const frame = { ts: "2026-11-30T16:26:40.123Z", session_id: SESSION, decision_id: "d-1", tool: "run_shell" };
    expect(
      readFileSync(file, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { ...frame, type: "input", data: { command: "echo hi" } },
      { ...frame, type: "output", data: { structuredContent: { exit_code: 0, stdout: "hi\n" } } },
    ]);
    expect([statSync(file).mode & 0o777, statSync(join(stateDir, "recordings")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("erases secrets of the input, and the same ones where the output repeats them (E05)", () => {
    const stateDir = newStateDir();
    const recording = open(stateDir);
    const call = { decisionId: "d-1", tool: "run_shell", arguments: { command: "deploy", password: "EXAMPLE-pazzw0rd-1" } };
    recording.input(call);
    recording.output(call, { structuredContent: { stdout: "logged in with EXAMPLE-pazzw0rd-1 and Bearer EXAMPLEtoken1234567890" } });
    recording.close();
    const text = readFileSync(join(stateDir, "recordings", `${SESSION}.jsonl`), "utf8");
    expect(text).not.toMatch(/EXAMPLE/);
    expect(text).toContain("logged in with [REDACTED]");
  });

  it("erases members whose names are copies of a secret, lent ones too (E05)", () => {
    rememberSecret("EXAMPLE-lent-Value-77");
    const stateDir = newStateDir();
    const recording = open(stateDir);
    const call = { decisionId: "d-1", tool: "eval_starlark", arguments: { code: "x", password: "EXAMPLE-pazzw0rd-2" } };
    const output = { "EXAMPLE-lent-Value-77": 1, deep: [{ "is EXAMPLE-pazzw0rd-2": 2, kept: 3 }] };
    recording.output(call, { structuredContent: { output } });
    recording.close();
    const text = readFileSync(join(stateDir, "recordings", `${SESSION}.jsonl`), "utf8");
    expect(JSON.parse(text)).toMatchObject({ data: { structuredContent: { output: { deep: [{ kept: 3 }] } } } });
    expect(text).not.toMatch(/EXAMPLE/);
    expect(redactJson(output).erased).toEqual(["/[REDACTED]"]);
  });

  it("makes nothing before the first event, and closes a folder that others could read", () => {
    const stateDir = newStateDir();
    open(stateDir).close();
    expect(statSync(stateDir, { throwIfNoEntry: false })).toBeUndefined();
    mkdirSync(join(stateDir, "recordings"), { recursive: true });
    chmodSync(join(stateDir, "recordings"), 0o755);
    open(stateDir).input({ decisionId: "d", tool: "t", arguments: {} });
    expect(statSync(join(stateDir, "recordings")).mode & 0o777).toBe(0o700);
  });

  it.each([
    ["the folder is a link", (folder: string) => symlinkSync(root, folder)],
    ["the folder is a file", (folder: string) => writeFileSync(folder, "")],
    ["the file is there already", (folder: string) => writeFileSync(join(mkdirSyncBack(folder), `${SESSION}.jsonl`), "other\n")],
    ["the file is a link", (folder: string) => symlinkSync("/dev/null", join(mkdirSyncBack(folder), `${SESSION}.jsonl`))],
  ])("throws when %s", (_what, prepare) => {
    const stateDir = newStateDir();
    mkdirSync(stateDir);
    prepare(join(stateDir, "recordings"));
    expect(() => open(stateDir).input({ decisionId: "d", tool: "t", arguments: {} })).toThrow(/file|folder|EEXIST|ELOOP/);
  });

  it("throws for an id that cannot name a file", () => {
    expect(() => open(newStateDir(), "mcp-1/../x").input({ decisionId: "d", tool: "t", arguments: {} })).toThrow("cannot name a recording");
  });
});

function mkdirSyncBack(folder: string): string {
  mkdirSync(folder);
  return folder;
}

describe("the list", () => {
  it("is empty where nothing was recorded", async () => {
    expect(await listRecordings(newStateDir())).toEqual([]);
  });

  it("holds regular files whose name is a session id, and skips links, folders, other suffixes and foreign names", async () => {
    const stateDir = newStateDir();
    const folder = join(stateDir, "recordings");
    mkdirSync(folder, { recursive: true });
    const text = '{"a":1}\n{"a":2}\n';
    writeFileSync(join(folder, `${SESSION}.jsonl`), text, { mode: 0o600 });
    writeFileSync(join(root, "elsewhere.jsonl"), text);
    symlinkSync(join(root, "elsewhere.jsonl"), join(folder, "mcp-1796055600000000002.jsonl"));
    mkdirSync(join(folder, "mcp-1796055600000000003.jsonl"));
    linkSync(join(root, "elsewhere.jsonl"), join(folder, "mcp-1796055600000000004.jsonl"));
    for (const name of [
      `${SESSION}.txt`,
      "gateway_connections.jsonl",
      "mcp-1.jsonl",
      `x${SESSION}.jsonl`,
      `.${SESSION}.jsonl`,
      `${SESSION}.jsonl.bak`,
    ])
      writeFileSync(join(folder, name), text);
    const entries = await listRecordings(stateDir);
    expect(entries).toEqual([
      {
        name: `${SESSION}.jsonl`,
        session_id: SESSION,
        size_bytes: text.length,
        event_count: 2,
        digest_sha256: createHash("sha256").update(text).digest("hex"),
        modified: statSync(join(folder, `${SESSION}.jsonl`)).mtime.toISOString(),
      },
    ]);
  });

  it("is an error when the folder cannot be read, and stops when nobody waits", async () => {
    const stateDir = newStateDir();
    mkdirSync(stateDir);
    writeFileSync(join(stateDir, "recordings"), "");
    await expect(listRecordings(stateDir)).rejects.toMatchObject({ code: "govern.store_unreadable" });
    const other = newStateDir();
    open(other).input({ decisionId: "d", tool: "t", arguments: {} });
    await expect(listRecordings(other, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  });
});
