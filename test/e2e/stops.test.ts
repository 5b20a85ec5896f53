import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, temporaryFolder } from "./client.ts";
import { operatorOf, supervised } from "./human.ts";

const STOPPED = { isError: true, code: "gate.stopped", text: "gate: stopped, nothing was executed" };
const ECHO = { command: "echo a" };
const BUNDLE = ["--bundle", "agent-session"] as const;

/** A second server on the state directory of the first. */
async function connectOn(stateDir: string, agent: string) {
  return await connect(["--sandbox", "none", ...BUNDLE, "--agent-id", agent, "--state-dir", stateDir]);
}

describe("regate stop and resume (U03)", () => {
  it("all: a running command is ended, the next call is refused, also after a restart, until a human resumes", async () => {
    const { session, operator } = await supervised(BUNDLE);
    // Longer than the test may take.
    const marker = `sleep 601.${process.pid}`;
    const isRunning = () => spawnSync("pgrep", ["-f", marker]).status === 0;
    const running = session.call("run_shell", { command: `${marker}; echo late`, timeout_ms: 300_000 });
    await expect.poll(isRunning).toBe(true);
    operator.sign("stop", "--all", "--end-running");
    expect(await running).toMatchObject({ isError: true, code: "call.stopped", text: "call: ended by a human who stopped this session" });
    await expect.poll(isRunning).toBe(false);
    expect(await session.call("run_shell", ECHO)).toMatchObject(STOPPED);
    expect(session.events().at(-1)).toMatchObject({ custom: { regate: { code: "gate.stopped", stop: { reason: "a test" } } } });
    const next = await connectOn(session.stateDir, "another");
    expect(await next.call("run_shell", ECHO)).toMatchObject(STOPPED);
    operator.sign("resume", "--all");
    expect(await session.call("run_shell", ECHO)).toMatchObject({ isError: false });
  });

  it("a stop without --end-running lets what runs end by itself", async () => {
    const workdir = temporaryFolder();
    const { session, operator } = await supervised([...BUNDLE, "--workdir", workdir]);
    const running = session.call("run_shell", { command: "touch begun; until [ -e stopped ]; do sleep 0.05; done; echo whole" });
    await expect.poll(() => existsSync(join(workdir, "begun"))).toBe(true);
    operator.sign("stop", "--all");
    expect(await session.call("run_shell", ECHO)).toMatchObject(STOPPED);
    writeFileSync(join(workdir, "stopped"), "");
    expect((await running).structured).toMatchObject({ stdout: "whole\n" });
  });

  it("a session, an agent: nobody else is stopped, and every kind of call is", async () => {
    const { session, operator, sessionId } = await supervised([...BUNDLE, "--agent-id", "builder"]);
    operator.sign("stop", "--session", "mcp-1000000000000000000");
    operator.sign("stop", "--agent", "somebody-else");
    expect(await session.call("run_shell", ECHO)).toMatchObject({ isError: false });
    operator.sign("stop", "--agent", "builder");
    for (const [tool, args] of [
      ["run_shell", ECHO],
      ["list_sessions", {}],
      ["whoami", {}],
      ["nothing", {}],
      ["run_shell", { ...ECHO, dry_run: true }],
    ] as const)
      expect(await session.call(tool, args)).toMatchObject(STOPPED);
    operator.sign("stop", "--session", sessionId);
    operator.sign("resume", "--agent", "builder");
    expect(await session.call("run_shell", ECHO)).toMatchObject(STOPPED);
    const listed = JSON.parse(operator.run("stops", "--json").stdout) as object[];
    expect(listed).toMatchObject([
      { session: "mcp-1000000000000000000" },
      { agent: "somebody-else" },
      { session: sessionId, stopped_by: "anna" },
    ]);
    expect(operator.run("resume", "--session", sessionId, "--reason", "over", "--key", "anna").stdout).toContain("1 lifted");
    expect(await session.call("run_shell", ECHO)).toMatchObject({ isError: false });
    expect(operator.run("resume", "--session", sessionId, "--reason", "over", "--key", "anna").stdout).toContain("was not stopped");
  });

  it("a stop of an agent holds for a server that is started later", async () => {
    const { session, operator } = await supervised([...BUNDLE, "--agent-id", "builder"]);
    operator.sign("stop", "--agent", "builder");
    await session.client.close();
    const next = await connectOn(session.stateDir, "builder");
    expect(await next.call("run_shell", ECHO)).toMatchObject(STOPPED);
    const other = await connectOn(session.stateDir, "other");
    expect(await other.call("run_shell", ECHO)).toMatchObject({ isError: false });
  });

  it("a chain that was tampered with or cut stops everything, and says so once; none at all stops nothing", async () => {
    const { session, operator } = await supervised(BUNDLE);
    operator.sign("stop", "--session", "mcp-1000000000000000000");
    expect(await session.call("run_shell", ECHO)).toMatchObject({ isError: false });
    const file = join(session.stateDir, "stops.jsonl");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("a test", "b test"));
    for (const _ of [1, 2, 3]) expect(await session.call("run_shell", ECHO)).toMatchObject(STOPPED);
    await expect.poll(() => session.stderr().match(/everything is stopped, since the chain of stops does not hold/g)).toHaveLength(1);
    writeFileSync(file, "");
    expect(await session.call("run_shell", ECHO)).toMatchObject(STOPPED);
    expect(operator.run("stops")).toMatchObject({ status: 1, lines: [expect.stringContaining("so everything is stopped")] });
    writeFileSync(file, text);
    expect(await session.call("run_shell", ECHO)).toMatchObject({ isError: false });
  });

  it("an agent cannot lift it: every command is refused in what it starts", async () => {
    const { session, operator } = await supervised(BUNDLE);
    const words = `${process.execPath} ${process.cwd()}/bin/regate.js resume --all --reason x --key anna --state-dir ${session.stateDir} --keys-dir ${operator.keysDir}`;
    for (const prefix of ["", "env -u REGATE_AGENT_CHILD "])
      expect((await session.call("run_shell", { command: `${prefix}${words}` })).structured).toMatchObject({
        exit_code: 1,
        stderr: expect.stringContaining("decide nothing"),
      });
    expect(existsSync(join(session.stateDir, "stops.jsonl"))).toBe(false);
  });

  it.each([
    ["stop", []],
    ["elevation grant", ["--tool", "run_shell"]],
    ["lease grant", ["--from", "env:DEPLOY_KEY", "--as", "TOKEN"]],
  ] as const)("`%s` for a session that has never been here says so, and is in force all the same", async (command, words) => {
    const { operator, sessionId } = await supervised(BUNDLE);
    const grant = (id: string) => operator.run(...command.split(" "), ...words, "--session", id, "--reason", "r", "--key", "anna");
    expect(grant(sessionId)).toMatchObject({ status: 0, stderr: "" });
    expect(grant("mcp-1000000000000000000")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/[0-9a-f]{32}/),
      lines: [expect.stringContaining("no session `mcp-1000000000000000000` is known here, so check its id")],
    });
  });

  it.each([
    [["stop", "--reason", "r", "--key", "anna"], "give exactly one of"],
    [["stop", "--all", "--agent", "a", "--reason", "r", "--key", "anna"], "give exactly one of"],
    [["stop", "--all", "--key", "anna"], "`--reason` is missing"],
    [["stop", "--all", "--reason", "r"], "`--key` is missing"],
    [["stop", "--all", "--reason", "", "--key", "anna"], "`--reason`: `` must not be empty"],
    [["resume", "--session", "--key", "anna"], "`--session` needs a value"],
    [["resume", "--session", "../x", "--reason", "r", "--key", "anna"], "`--session`: `../x` is no id of a session"],
    [["stop", "--agent", "a".repeat(257), "--reason", "r", "--key", "anna"], "must be at most 256 characters"],
    [["stop", "--all", "--reason", "r", "--key", "../anna"], "`--key`: `../anna` names no key"],
    [["resume", "x"], "unexpected word `x`"],
  ])("%j is exit code 2 with one line", (words, line) => {
    const { run } = operatorOf(join(temporaryFolder(), "state"));
    const ended = run(...words);
    expect([ended.status, ended.stdout, ended.lines.length]).toEqual([2, "", 1]);
    expect(ended.stderr).toContain(line);
  });
});
