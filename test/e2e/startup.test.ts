import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, temporaryFolder } from "./client.ts";
import { cleanEnv, PROGRAM, regate } from "./run.ts";

function write(name: string, content: string | Uint8Array): string {
  const path = join(temporaryFolder(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function pipe(): string {
  const path = join(temporaryFolder(), "pipe");
  spawnSync("mkfifo", [path]);
  return path;
}

/** A copy of a packaged bundle with one file changed, so that it does not verify. */
function brokenBundle(name: string, change: (text: Buffer) => Uint8Array): string {
  const folder = join(temporaryFolder(), "bundle");
  cpSync("wasm/default", folder, { recursive: true });
  writeFileSync(join(folder, name), change(readFileSync(join(folder, name))));
  return folder;
}

const ZEROS = `sha256:${"0".repeat(64)}`;
const BAD = "/no/such";
const BAD_CONFIG = ["--config", `${BAD}/config`];
const BAD_LIST = ["--agent-tools-file", `${BAD}/list`];
const BAD_BUNDLE = ["--bundle", `${BAD}/bundle`];

/** What is wrong, and what the one line must name. */
const REFUSED: readonly (readonly [string, () => readonly string[], string | RegExp])[] = [
  ["the command line is judged before the configuration", () => [...BAD_CONFIG, "--agent-id", ""], "`--agent-id`"],
  ["the configuration before the allowlist", () => [...BAD_LIST, ...BAD_CONFIG], `\`${BAD}/config\``],
  ["an option before the allowlist", () => [...BAD_LIST, "--workdir", `${BAD}/dir`], `\`${BAD}/dir\``],
  ["the allowlist before the bundle", () => [...BAD_BUNDLE, ...BAD_LIST], `\`${BAD}/list\``],
  ["a missing bundle", () => BAD_BUNDLE, `\`${BAD}/bundle\``],
  ["an unknown bundle name", () => ["--bundle", "nope"], /`nope`.*`default`/],
  ["a bundle name in another letter case", () => ["--bundle", "Default"], "`Default`"],
  ["an empty folder as bundle", () => ["--bundle", temporaryFolder("regate-empty-")], "regate-empty-"],
  ["a text as bundle", () => ["--bundle", write("bundle.tar.gz", "no archive")], "bundle.tar.gz"],
  ["a pipe as bundle", () => ["--bundle", pipe()], "/pipe`"],
  ["a device as bundle", () => ["--bundle", "/dev/zero"], "`/dev/zero`"],
  ["a truncated module", () => ["--bundle", brokenBundle("policy.wasm", (bytes) => bytes.subarray(0, 1000))], "/bundle`"],
  [
    "data that the manifest does not describe",
    () => ["--bundle", brokenBundle("data.json", () => Buffer.from('{"regate":{}}'))],
    /\/bundle`.*digest/,
  ],
  ["a manifest that is cut off", () => ["--bundle", brokenBundle("manifest.json", (bytes) => bytes.subarray(0, 100))], "/bundle`"],
  [
    "a bundle of another digest: both are named (trial L08)",
    () => ["--bundle-digest", ZEROS],
    new RegExp(`\`default\`.*sha256:[1-9a-f][0-9a-f]{63}.*${ZEROS}`),
  ],
  ["a pipe as allowlist", () => ["--agent-tools-file", pipe()], "/pipe`"],
  ["a pipe as configuration", () => ["--config", pipe()], "/pipe`"],
  ["a pipe as shell tables", () => ["--shell-tables", pipe()], "/pipe`"],
  [
    "shell tables with a mistake: the file and the place are named",
    () => ["--shell-tables", write("tables.json", '{"wrappers":[{"names":["x"],"skip":9}]}')],
    /shell tables file `.*tables\.json` key `wrappers\[0\]\.skip`: /,
  ],
  [
    "shell tables whose example does not hold",
    () => ["--shell-tables", write("tables.json", '{"examples":{"clear":["ls;\\nrm x"]}}')],
    /`examples\.clear`: example does not hold: `ls;\\u\{a\}rm x`/,
  ],
  [
    "shell tables before the allowlist",
    () => [...BAD_LIST, "--shell-tables", write("tables.json", "[]")],
    /tables\.json` must hold a JSON object/,
  ],
  ["a pipe as context", () => ["--context-file", pipe()], "/pipe`"],
  ["an unknown key in the configuration", () => ["--config", write("regate.json", '{"agent_id":"x"}')], "`agent_id`"],
  [
    "a bad name in an allowlist of the configuration",
    () => ["--config", write("regate.json", `{"agent-tools-file":${JSON.stringify(write("list", "ok\n-x\n"))}}`)],
    "line 2",
  ],
];

describe("refusals to start", () => {
  it.each(REFUSED)("%s: exit 2, one line, no state directory, nothing on stdout", (_name, flags, named) => {
    const stateDir = join(temporaryFolder(), "state");
    const run = regate(["serve", "--state-dir", stateDir, ...flags()]);
    expect({ status: run.status, stdout: run.stdout, lines: run.lines.length }).toEqual({ status: 2, stdout: "", lines: 1 });
    expect(run.lines[0]).toMatch(named);
    expect(existsSync(stateDir)).toBe(false);
  });
  it("a state directory that is a file", () => {
    const path = write("state", "");
    const run = regate(["serve", "--state-dir", path]);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toContain(`\`${path}\``);
  });
});

describe("a start", () => {
  it("says on stderr, once, what is in force, and prints nothing", () => {
    const list = write("list", "run_shell\naudit_log\n");
    const stateDir = join(temporaryFolder(), "state");
    const run = regate([
      "serve",
      "--state-dir",
      stateDir,
      "--workdir",
      temporaryFolder(),
      "--agent-id",
      "me",
      "--agent-tools-file",
      list,
      "--require-agent-dry-run",
    ]);
    expect(run).toMatchObject({ status: 0, stdout: "" });
    expect(run.lines).toHaveLength(1);
    expect(run.lines[0]).toMatch(/^regate: serving bundle `default` \(sha256:[0-9a-f]{64}\), agent `me`, session mcp-\d{19}, /);
    expect(run.lines[0]).toContain(`allowlist: 2 tools of \`${list}\`, dry run required: yes, sandbox: `);
    expect(run.lines[0]).toMatch(/, sandbox: (?:bwrap|none \(.+\)), state in `[^`]+`$/);
    expect(run.lines[0]).toContain(`, state in \`${stateDir}\``);
  });
  it("takes a copied bundle folder, and the digest that the start line shows as pin", () => {
    const folder = join(temporaryFolder(), "copy");
    cpSync("wasm/default", folder, { recursive: true });
    const first = regate(["serve", "--bundle", folder]);
    expect(first.status).toBe(0);
    const digest = /sha256:[0-9a-f]{64}/.exec(first.stderr)?.[0] ?? "";
    expect(regate(["serve", "--bundle", folder, "--bundle-digest", digest]).status).toBe(0);
    expect(regate(["decide", "--bundle", folder, "--bundle-digest", ZEROS])).toMatchObject({ status: 2, stdout: "" });
  });
  it("shows when an empty flag switches an allowlist off", () => {
    const run = regate(["serve", "--agent-tools-file", "", "--workdir", temporaryFolder()], {
      env: { ADSSH_AGENT_TOOLS_FILE: "/no/such/list" },
    });
    expect(run.status).toBe(0);
    expect(run.stderr).toContain("allowlist: none");
  });
  it("makes the state directory for its owner alone", () => {
    const stateDir = join(temporaryFolder(), "a/state");
    regate(["serve", "--state-dir", stateDir]);
    expect(readdirSync(stateDir)).toContain("decisions");
    expect(statSync(join(stateDir, "decisions")).mode & 0o777).toBe(0o700);
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  });
  it("keeps state below XDG_STATE_HOME, which must be absolute, or the home directory", () => {
    const xdg = temporaryFolder();
    const home = temporaryFolder();
    regate(["serve"], { env: { XDG_STATE_HOME: xdg, HOME: home } });
    expect(existsSync(join(xdg, "regate/decisions"))).toBe(true);
    regate(["serve"], { env: { XDG_STATE_HOME: "relative", HOME: home }, cwd: home });
    expect(existsSync(join(home, ".local/state/regate/decisions"))).toBe(true);
    expect(existsSync(join(home, "relative"))).toBe(false);
  });
  it("warns once, naming what lies inside the working directory", () => {
    const workdir = realpathSync(temporaryFolder());
    const list = join(workdir, "list");
    writeFileSync(list, "run_shell\n");
    const run = regate([
      "serve",
      "--workdir",
      workdir,
      "--state-dir",
      join(workdir, "state"),
      "--agent-tools-file",
      list,
      "--sandbox",
      "none",
    ]);
    expect(run.status).toBe(0);
    const warnings = run.lines.filter((line) => line.startsWith("regate: warning: "));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`(no sandbox): allowlist \`${list}\`, state directory \`${workdir}/state\``);
  });
  it("gives policy the context file and the working directory", async () => {
    const workdir = realpathSync(temporaryFolder());
    const context = write("context.json", '{"ticket":"CHG-1","nested":{"a":[1]}}');
    const session = await connect(["--bundle", "ai-agent", "--workdir", workdir, "--context-file", context]);
    await session.call("run_shell", { command: "pwd", context: { ticket: "forged" } });
    expect(session.events()[0]?.["input"]).toMatchObject({ workdir, context: { ticket: "CHG-1", nested: { a: [1] } } });
  });
  it("an empty allowlist, an unset one and letter case (trial P05)", async () => {
    const empty = await connect(["--bundle", "ai-agent", "--agent-tools-file", write("list", "# none\n")]);
    expect((await empty.call("run_shell", { command: "true" })).text).toBe("agent: tool is not entitled");
    const other = await connect(["--bundle", "ai-agent", "--agent-tools-file", write("list", "Run_Shell\n")]);
    expect((await other.call("run_shell", { command: "true" })).text).toBe("agent: tool is not entitled");
    const config = write("regate.json", JSON.stringify({ "agent-tools-file": write("list", "audit_log\n") }));
    const file = await connect(["--bundle", "ai-agent", "--config", config], { REGATE_AGENT_TOOLS_FILE: "", ADSSH_AGENT_TOOLS_FILE: "" });
    expect((await file.call("run_shell", { command: "true" })).text).toBe("agent: tool is not entitled");
  });
});

interface Message {
  readonly id: number;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Raw server: lines in, lines out. */
function serve(stateDir = join(temporaryFolder(), "s")): {
  child: ChildProcess;
  send: (message: object) => void;
  next: () => Promise<Message>;
  ended: Promise<unknown[]>;
} {
  const child = spawn(
    process.execPath,
    [PROGRAM, "serve", "--bundle", "agent-session", "--state-dir", stateDir, "--workdir", temporaryFolder(), "--sandbox", "none"],
    {
      env: cleanEnv(),
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const next = async (): Promise<Message> => {
    while (!text.includes("\n")) await once(child.stdout as NodeJS.ReadableStream, "data");
    const [line = "", ...rest] = text.split("\n");
    text = rest.join("\n");
    return JSON.parse(line) as Message;
  };
  return { child, send: (message) => void child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`), next, ended };
}

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

/** A process that ended but that nobody has waited for yet is not alive. */
function isAlive(pid: number): boolean {
  return /\) [^Z] /.test(spawnSync("cat", [`/proc/${pid}/stat`], { encoding: "utf8" }).stdout);
}

/** Starts a server whose run_shell runs `sleep`, and gives its process id from a file that the command writes. */
async function runningSleep(): Promise<{ server: ReturnType<typeof serve>; pid: number }> {
  const file = join(temporaryFolder(), "pid");
  const server = serve();
  server.send(INITIALIZE);
  await server.next();
  server.send({
    id: 2,
    method: "tools/call",
    params: { name: "run_shell", arguments: { command: `echo $$ > ${file}.part; mv ${file}.part ${file}; sleep 300` } },
  });
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
  return { server, pid: Number(spawnSync("cat", [file], { encoding: "utf8" }).stdout) };
}

describe("an unusable decision log", () => {
  it("is said on stderr with its place and why", () => {
    const decisions = write("decisions", "in the way");
    const stateDir = dirname(decisions);
    const { status, stderr } = regate(["serve", "--state-dir", stateDir]);
    expect(status).toBe(0);
    expect(stderr).toContain(`the decision log in \`${decisions}\` can be opened: the decision log is not available (not a folder`);
  });

  it("leaves the server up and refuses every call, until it can be written", async () => {
    const stateDir = temporaryFolder();
    writeFileSync(join(stateDir, "decisions"), "in the way");
    const marker = join(temporaryFolder(), "marker");
    const server = serve(stateDir);
    const touch = async (id: number): Promise<Message["result"]> => {
      server.send({ id, method: "tools/call", params: { name: "run_shell", arguments: { command: `touch ${marker}` } } });
      return (await server.next()).result;
    };
    server.send(INITIALIZE);
    await server.next();
    for (const id of [2, 3])
      expect(await touch(id)).toMatchObject({ isError: true, _meta: { "regate/decision": { code: "audit.unavailable" } } });
    expect(existsSync(marker)).toBe(false);
    rmSync(join(stateDir, "decisions"));
    expect((await touch(4))?.["isError"]).not.toBe(true);
    expect(existsSync(marker)).toBe(true);
    expect(server.child.exitCode).toBeNull();
  });
});

// A server that waited for its `sleep 300` would take longer than a test may.
describe("the end", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends the server with 0, and its commands", async (signal) => {
    const { server, pid } = await runningSleep();
    server.child.kill(signal);
    expect(await server.ended).toEqual([0, null]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
  it("the end of stdin ends running commands, and the server with 0", async () => {
    const { server, pid } = await runningSleep();
    server.child.stdin?.end();
    expect(await server.ended).toEqual([0, null]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
  it("calls received before the end of stdin are answered", async () => {
    const server = serve();
    server.send(INITIALIZE);
    for (const id of [2, 3, 4])
      server.send({ id, method: "tools/call", params: { name: "run_shell", arguments: { command: `echo ${id}` } } });
    server.child.stdin?.end();
    const ids: number[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await server.next()).id);
    expect(new Set(ids)).toEqual(new Set([1, 2, 3, 4]));
    expect(await server.ended).toEqual([0, null]);
  });
  it("a client that goes away ends the server", async () => {
    const server = serve();
    server.send(INITIALIZE);
    await server.next();
    server.child.stdout?.destroy();
    server.child.stdin?.end();
    expect(await server.ended).toEqual([0, null]);
  });
});
