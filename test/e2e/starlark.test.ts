import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { connect, temporaryFolder, type Answer, type Session } from "./client.ts";
import { startRaw } from "./raw-server.ts";

const SLOW = { timeout: 120_000 };
/** For scripts whose own time limit must not be what ends them on a busy machine. */
const PATIENT = ["--starlark-time-ms", "60000"];

/** What can be compared between two paths: everything but the decision's id. */
function bytesOf({ text, isError, code, structured }: Answer): unknown {
  return { text, isError, code, structured };
}

function script(session: Session, code: string): Promise<Answer> {
  return session.call("eval_starlark", { code });
}

const decisions = (session: Session) => session.events().filter(({ custom }) => custom.regate.event === "decision");

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10);
}

/** Number of processes with this word in their command line; their pids may be those of another namespace. */
function running(word: string): number {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLine(pid).split("\0").includes(word)).length;
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

describe("a script behind the ai-agent bundle", SLOW, () => {
  it("calls tools, each as a call of its own", async () => {
    const workdir = temporaryFolder();
    const session = await connect(["--bundle", "ai-agent", "--agent-id", "scripter", "--workdir", workdir, ...PATIENT]);
    const answer = await script(
      session,
      [
        'sessions = tool("list_sessions")["sessions"]',
        'done = tool("run_shell", command="echo from the shell; exit 3")',
        'print(sessions[0]["agent_id"], done["exit_code"])',
        'out = done["stdout"]',
        "sessions = len(sessions)",
        "done = None",
      ].join("\n"),
    );
    expect(answer.text).toBe('output: scripter 3\nresult: {"done": None, "out": "from the shell\\n", "sessions": 1}');
    expect(answer.structured).toEqual({
      output: "scripter 3\n",
      result: { done: null, out: "from the shell\n", sessions: 1 },
      steps: expect.any(Number),
      truncated: false,
    });
    const [outer, ...inner] = decisions(session);
    expect(inner.map(({ input, custom }) => [input.command, input.path, input.agent.id, custom.regate.parent_decision_id])).toEqual([
      ["list_sessions", "script", "scripter", outer?.["decision_id"]],
      ["run_shell", "script", "scripter", outer?.["decision_id"]],
    ]);
  });

  it.each([
    ["a tool outside the bundle", [], "admin_list_sessions", {}],
    ["an identity tool", [], "whoami", {}],
    ["a tool that does not exist", [], "four_eyes_approve", { id: "1" }],
    ["a destructive command", [], "run_shell", { command: "rm -rf /nonexistent" }],
    ["a destructive command that must be tried dry", ["--require-agent-dry-run"], "run_shell", { command: "rm -rf /nonexistent" }],
    ["arguments that the tool does not have", [], "list_sessions", { all: true }],
  ])("gets the refusal of the direct path, byte for byte: %s", async (_name, flags, tool, args) => {
    const session = await connect(["--bundle", "ai-agent", ...flags, ...PATIENT]);
    const direct = await session.call(tool, args);
    const scripted = await script(
      session,
      `print("before")\ntool("${tool}", **json.decode(${JSON.stringify(JSON.stringify(args))}))\nx = 1`,
    );
    expect(bytesOf(scripted)).toEqual(bytesOf(direct));
    expect(scripted.isError).toBe(true);
  });

  it("gets the refusal of the allowlist as well", async () => {
    const list = join(temporaryFolder(), "tools.txt");
    writeFileSync(list, "eval_starlark\n");
    const session = await connect(["--bundle", "ai-agent", "--agent-tools-file", list, ...PATIENT]);
    const scripted = await script(session, 'tool("list_sessions")');
    expect(bytesOf(scripted)).toEqual(bytesOf(await session.call("list_sessions")));
    expect(scripted).toMatchObject({ text: "agent: tool is not entitled", code: "agent.not_entitled" });
  });

  it("decides no four-eyes request: there is no function for it, and no tool", async () => {
    const session = await connect(["--bundle", "ai-agent", ...PATIENT]);
    const names = await script(session, "names = sorted([n for n in dir(json)])");
    expect(names.structured).toMatchObject({ result: { names: ["decode", "encode", "encode_indent", "indent"] } });
    for (const name of ["approve", "four_eyes", "approvals", "shell", "exec", "open", "load_module", "regate"])
      expect((await script(session, `x = ${name}`)).text).toBe(`starlark error: script.star:1:5: undefined: ${name}`);
  });

  it("starts no further script", async () => {
    const session = await connect(["--bundle", "ai-agent", ...PATIENT]);
    expect((await script(session, 'tool("eval_starlark", code="x = 1")')).text).toBe("starlark error: nested evaluation is not allowed");
  });
});

describe("a script behind the default bundle", SLOW, () => {
  it("is held to the identity gate, before and inside", async () => {
    const session = await connect(["--bundle", "default", "--workdir", temporaryFolder(), ...PATIENT]);
    const armed = await script(session, "x = 1");
    expect(armed.code).toBe("identity.unconfirmed");
    await session.call("whoami");
    expect((await script(session, 'x = tool("run_shell", command="echo hi")["stdout"]')).structured).toMatchObject({
      result: { x: "hi\n" },
    });
    const switching = 'tool("config_profile_create", label="Erik")\ntool("run_shell", command="echo hi")';
    expect(bytesOf(await script(session, switching))).toEqual(bytesOf(armed));
    expect((await session.call("run_shell", { command: "echo hi" })).code).toBe("identity.unconfirmed");
  });
});

describe("limits", SLOW, () => {
  it("come from flags and environment", async () => {
    const few = await connect(["--bundle", "ai-agent", "--starlark-steps", "100", "--starlark-output-bytes", "4", ...PATIENT]);
    expect((await script(few, "for i in range(1000): pass")).text).toBe("starlark error: Starlark computation cancelled: too many steps");
    expect((await script(few, 'print("123456")')).structured).toMatchObject({ output: "1234", truncated: true });
    const short = await connect(["--bundle", "ai-agent"], { REGATE_STARLARK_TIME_MS: "300" });
    expect((await script(short, "x = 3\nfor i in range(40): x = x * x")).text).toBe("starlark error: time limit exceeded");
  });

  it("hold the server's memory and threads, keep stdout pure, and let the next script run", async () => {
    const server = startRaw("--bundle", "ai-agent", ...PATIENT);
    await server.ask({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    });
    await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    let id = 0;
    const text = async (code: string): Promise<unknown> => {
      const params = { name: "eval_starlark", arguments: { code } };
      const { result } = await server.ask({ jsonrpc: "2.0", id: ++id, method: "tools/call", params });
      return (result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
    };
    const memory = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]) * 1024;
    const threads = (): number => readdirSync(`/proc/${server.child.pid}/task`).length;
    expect(await text("x = 1")).toBe('output: \nresult: {"x": 1}');
    await pause(3_500);
    const before = { memory: memory(), threads: threads() };
    const bombs: [string, string][] = [
      ['x = ["a" * (1 << 20) for i in range(100000)]', "out of memory"],
      ["x = list(range(3000000))", "out of memory"],
      ['a = "a" * 1000000\nx = a.replace("a", a)', "out of memory"],
      ["for i in range(1 << 40): pass", "Starlark computation cancelled: too many steps"],
      ["for i in range(1000000): print(i)", "Starlark computation cancelled: too many steps"],
      [`x = ${"(".repeat(2_000)}1${")".repeat(2_000)}`, "nesting is too deep"],
      [`x = ${"-".repeat(30_000)}1`, "nesting is too deep"],
      ['fail("regate: \\n{}")', "script.star:1:5: Error in fail: fail: regate: \n{}"],
    ];
    for (const [code, words] of bombs) expect(await text(code)).toBe(`starlark error: ${words}`);
    expect(await text("x = 1")).toBe('output: \nresult: {"x": 1}');
    await until(() => threads() <= before.threads);
    expect(memory() - before.memory).toBeLessThan(50_000_000);
    for (const line of server.output().trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("end what a script started, and answer once", async () => {
    const flags = ["--bundle", "agent-session", "--workdir", temporaryFolder(), "--starlark-time-ms", "8000"];
    const session = await connect(flags);
    const naps = `${process.pid}.${Date.now() % 100_000}`;
    const answer = script(session, `tool("run_shell", command="sleep ${naps} & sleep ${naps}")`);
    await until(() => running(naps) > 0);
    expect((await answer).text).toBe("starlark error: time limit exceeded");
    await until(() => running(naps) === 0);
    const outcomes = session.events().filter(({ custom }) => custom.regate.event === "outcome");
    expect(outcomes.map(({ custom }) => [custom.regate.outcome.tool, custom.regate.outcome.status])).toEqual([
      ["run_shell", "cancelled"],
      ["eval_starlark", "error"],
    ]);
  });
});

describe("the start", () => {
  it("costs nothing of it: no thread is there before the first script", SLOW, async () => {
    const session = await connect(["--bundle", "ai-agent"]);
    await session.call("list_sessions");
    const threads = (): number => readdirSync(`/proc/${session.pid}/task`).length;
    const before = threads();
    await script(session, "x = 1");
    expect(threads()).toBeGreaterThan(before);
  });
});
