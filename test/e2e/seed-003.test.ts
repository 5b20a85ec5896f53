import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, temporaryFolder } from "./client.ts";

const AI_AGENT = ["--bundle", "ai-agent"];
const NOT_ENTITLED = "agent: tool is not entitled";
const DRY_RUN = "agent: destructive action requires dry_run=true";

function file(text: string | Buffer): string {
  const path = join(temporaryFolder(), "tools.txt");
  writeFileSync(path, text);
  return path;
}

function start(flags: readonly string[], env: Record<string, string> = {}) {
  const stateDir = join(temporaryFolder(), "state");
  const run = spawnSync(process.execPath, ["bin/regate.js", "serve", "--state-dir", stateDir, ...flags], {
    input: "",
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    timeout: 110_000,
  });
  return { ...run, lines: run.stderr.split("\n").filter(Boolean), stateMade: existsSync(stateDir) };
}

describe("process claim", () => {
  it("[003-claim-session] one session id of 19 digits, registered, and on input.agent.session_id of each call", async () => {
    const session = await connect(AI_AGENT);
    const listed = await session.call("list_sessions");
    await session.call("run_shell", { command: "true" });
    const ids = new Set(
      session
        .events()
        .filter((event) => event["input"])
        .map((event) => event["input"].agent.session_id),
    );
    expect(ids.size).toBe(1);
    const [id] = [...ids];
    expect(id).toMatch(/^mcp-\d{19}$/);
    expect(session.events().find((event) => event["input"])?.["input"].session_id).toBe(id);
    expect(JSON.stringify(listed.structured)).toContain(id);
    expect(Math.abs(Number(BigInt(id.slice(4)) / 1_000_000n) - Date.now())).toBeLessThan(120_000);
  });

  it.each([
    ["the flag", ["--agent-id", "flagged"], {}, "flagged"],
    ["the flag over the environment", ["--agent-id", "flagged"], { ADSSH_AGENT_ID: "named" }, "flagged"],
    ["the environment", [], { ADSSH_AGENT_ID: "named" }, "named"],
    ["an empty environment is no value", [], { REGATE_AGENT_ID: "", ADSSH_AGENT_ID: "named" }, "named"],
  ])("[003-claim-agent] the agent id comes from %s", async (_from, flags, env, expected) => {
    const session = await connect([...AI_AGENT, ...flags], env);
    await session.call("list_sessions");
    expect(session.events()[0]?.["input"].agent.id).toBe(expected);
  });

  it("[003-claim-default] neither set: mcp-<pid>", async () => {
    const session = await connect(AI_AGENT);
    await session.call("list_sessions");
    expect(session.events()[0]?.["input"].agent.id).toBe(`mcp-${session.pid}`);
  });

  it("[003-claim-arguments] [003-claim-fixed] agent_id and session_id in arguments are arguments and never the claim", async () => {
    const session = await connect([...AI_AGENT, "--agent-id", "real"]);
    const answer = await session.call("run_shell", { command: "echo hi", agent_id: "root", session_id: "mcp-0" });
    expect(answer.isError).toBe(false);
    const { input } = session.events()[0] as { input: any };
    expect(input.agent.id).toBe("real");
    expect(input.agent.session_id).toBe(input.session_id);
    expect(input.session_id).toMatch(/^mcp-\d{19}$/);
    expect(input.arguments).toMatchObject({ agent_id: "root", session_id: "mcp-0" });
    expect(input.args).toEqual(["agent_id=root", "command=echo hi", "session_id=mcp-0"]);
  });

  it("[003-claim-example] agent-session requires both bound fields", () => {
    const ask = (agent: unknown) => {
      const input = JSON.stringify({ session_id: "mcp-1", agent });
      const run = spawnSync(process.execPath, ["bin/regate.js", "decide", "--bundle", "agent-session"], { input, encoding: "utf8" });
      return (JSON.parse(run.stdout) as { allow: boolean }).allow;
    };
    expect(ask({ id: "a", session_id: "mcp-1" })).toBe(true);
    expect(ask({ id: "a" })).toBe(false);
    expect(ask({ session_id: "mcp-1" })).toBe(false);
    expect(ask({ id: "", session_id: "mcp-1" })).toBe(false);
    expect(ask({ id: "a", session_id: "mcp-2" })).toBe(false);
  });
});

describe("tool allowlist", () => {
  it("[003-list-source] [003-list-comments] one name a line, comments skipped, from flag and environment", async () => {
    const path = file("# tools\nlist_sessions # safe\n\n  audit_log\r\n");
    for (const [flags, env] of [
      [["--agent-tools-file", path], {}],
      [[], { ADSSH_AGENT_TOOLS_FILE: path }],
    ] as const) {
      const session = await connect([...AI_AGENT, ...flags], env);
      expect((await session.call("list_sessions")).isError).toBe(false);
      expect((await session.call("audit_log")).isError).toBe(false);
      expect(await session.call("run_shell", { command: "true" })).toMatchObject({
        isError: true,
        text: NOT_ENTITLED,
        code: "agent.not_entitled",
      });
    }
  });

  it("[003-list-flag-wins] the flag overrides the environment", async () => {
    const session = await connect([...AI_AGENT, "--agent-tools-file", file("list_sessions\n")], {
      ADSSH_AGENT_TOOLS_FILE: file("run_shell\n"),
    });
    expect((await session.call("list_sessions")).isError).toBe(false);
    expect((await session.call("run_shell", { command: "true" })).text).toBe(NOT_ENTITLED);
  });

  it("[003-list-empty-flag] an empty flag value: not configured, whatever the environment says", async () => {
    const session = await connect([...AI_AGENT, "--agent-tools-file", ""], { ADSSH_AGENT_TOOLS_FILE: file("audit_log\n") });
    expect((await session.call("run_shell", { command: "true" })).isError).toBe(false);
  });

  it("[003-list-unset] unset: policy is the only tool gate", async () => {
    const session = await connect(AI_AGENT);
    expect((await session.call("run_shell", { command: "true" })).isError).toBe(false);
    expect((await session.call("admin_list_sessions")).code).toBe("policy.denied");
  });

  it.each([
    ["empty", ""],
    ["only comments", "# nothing\n"],
  ])("[003-list-configured] [003-list-empty] a file that is %s denies every tool", async (_what, text) => {
    const session = await connect([...AI_AGENT, "--agent-tools-file", file(text)]);
    for (const tool of ["list_sessions", "audit_log", "run_shell", "no_such_tool"]) {
      expect(await session.call(tool, { command: "true" })).toMatchObject({ isError: true, text: NOT_ENTITLED });
    }
    expect((await session.client.listTools()).tools).toEqual([]);
  });

  const folder = temporaryFolderOnce();
  it.each([
    ["missing", () => join(folder(), "none")],
    ["a directory", () => folder()],
    ["a link", () => link(folder())],
    ["a pipe", () => pipe(folder())],
    ["a device", () => "/dev/null"],
    ["one byte too large", () => file(Buffer.alloc(65_537, "a\n"))],
    ["with a bad name", () => file("run_shell\n-rm\n")],
    ["with a name of 66 characters", () => file(`${"a".repeat(66)}\n`)],
    ["not UTF-8", () => file(Buffer.from([0x61, 0xff, 0x0a]))],
  ])("[003-list-fails-closed] a file that is %s: exit 2, one line, before anything is made", (_what, make) => {
    const path = make();
    const run = start(["--agent-tools-file", path, "--bundle", "ai-agent"]);
    expect({ status: run.status, stdout: run.stdout, lines: run.lines.length, stateMade: run.stateMade }).toEqual({
      status: 2,
      stdout: "",
      lines: 1,
      stateMade: false,
    });
    expect(run.lines[0]).toContain(path);
  });

  it("[003-list-fails-closed] 65,536 bytes and 65 characters still pass, and the allowlist is judged before the bundle", () => {
    const text = `${"a".repeat(65)}\n`;
    expect(start(["--agent-tools-file", file(text + "#".repeat(65_536 - text.length)), "--bundle", "ai-agent"]).status).toBe(0);
    const both = start(["--agent-tools-file", "/nowhere/tools", "--bundle", "/nowhere/bundle"]);
    expect(both.lines).toHaveLength(1);
    expect(both.lines[0]).toContain("/nowhere/tools");
  });
});

describe("the ai-agent bundle", () => {
  it("[003-bundle-tools] lists the five tools", () => {
    const data = JSON.parse(readFileSync("bundles/ai-agent/data.json", "utf8")) as { regate: { ai_agent: { tools: string[] } } };
    expect([...data.regate.ai_agent.tools].sort()).toEqual(["audit_log", "cloud_query", "eval_starlark", "list_sessions", "run_shell"]);
  });

  it.each([
    "admin_list_sessions",
    "admin_list_approvals",
    "admin_list_recordings",
    "admin_list_elevations",
    "admin_list_leases",
    "admin_explain",
    "identity_status",
    "identity_device_login",
  ])("[003-bundle-absent] denies %s", async (tool) => {
    const session = await connect(AI_AGENT);
    expect(await session.call(tool, {})).toMatchObject({ isError: true, code: "policy.denied" });
  });
});

describe("gate order", () => {
  it("[003-order] [003-order-entitlement-first] entitlement, dry run, policy, handler", async () => {
    const workdir = temporaryFolder();
    const marker = join(workdir, "marker");
    const onlyAudit = await connect([...AI_AGENT, "--require-agent-dry-run", "--agent-tools-file", file("audit_log\n")]);
    expect((await onlyAudit.call("run_shell", { command: `rm -f ${marker}` })).text).toBe(NOT_ENTITLED);
    const strict = await connect([...AI_AGENT, "--require-agent-dry-run"]);
    expect((await strict.call("run_shell", { command: `rm -f ${marker}` })).text).toBe(DRY_RUN);
    const open = await connect([...AI_AGENT, "--workdir", workdir]);
    expect((await open.call("run_shell", { command: `rm -f ${marker}` })).code).toBe("policy.denied");
    expect((await open.call("run_shell", { command: `echo x >> ${marker}` })).isError).toBe(false);
    expect(existsSync(marker)).toBe(true);
    expect(strict.events().map((event) => event["custom"].regate.stage)).toEqual(["dry_run"]);
  });

  it.each([
    ["--require-agent-dry-run", ["--require-agent-dry-run"], {}, true],
    ["true", [], { ADSSH_AGENT_REQUIRE_DRY_RUN: "true" }, true],
    ["TRUE", [], { ADSSH_AGENT_REQUIRE_DRY_RUN: "TRUE" }, true],
    ["tRuE in REGATE_", [], { REGATE_AGENT_REQUIRE_DRY_RUN: "tRuE" }, true],
    ["1", [], { ADSSH_AGENT_REQUIRE_DRY_RUN: "1" }, false],
    ["yes", [], { ADSSH_AGENT_REQUIRE_DRY_RUN: "yes" }, false],
    ["' true'", [], { ADSSH_AGENT_REQUIRE_DRY_RUN: " true" }, false],
    ["nothing", [], {}, false],
  ])("[003-dry-run-switch] [003-dry-run-error] with %s the switch is as it must be", async (_what, flags, env, on) => {
    const session = await connect(["--bundle", "agent-session", ...flags], env);
    const answer = await session.call("run_shell", { command: "rm -f /nonexistent/regate-test" });
    expect(answer.text === DRY_RUN).toBe(on);
    if (on)
      expect(answer).toMatchObject({ isError: true, code: "agent.dry_run_required", meta: { "regate/decision": { resolve: "dry_run" } } });
  });

  it.each(["true", 1, "yes", null, []])("[003-dry-run-switch] dry_run: %j is not the strict boolean", async (value) => {
    const session = await connect(["--bundle", "agent-session", "--require-agent-dry-run"]);
    expect((await session.call("run_shell", { command: "rm x", dry_run: value })).text).toBe(DRY_RUN);
  });

  it("[003-dry-run-no-effect] a dry run executes nothing and returns the plan", async () => {
    const folder = temporaryFolder();
    const marker = join(folder, "marker");
    const session = await connect(["--bundle", "agent-session", "--require-agent-dry-run"]);
    const answer = await session.call("run_shell", { command: `touch ${marker} && rm -rf ${folder}`, dry_run: true });
    expect(answer.isError).toBe(false);
    expect(answer.structured).toMatchObject({ dry_run: true, verdict: "destructive" });
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(folder)).toBe(true);
  });

  it.each([
    "rm x",
    "kubectl delete pod x",
    "vault delete x",
    "terraform destroy",
    "terraform apply",
    "tofu apply",
    "tofu destroy",
    "docker rm x",
    "docker rmi x",
    "git push --force",
    "chmod 777 x",
    "aws ec2 terminate x",
  ])("[003-destructive] %s is destructive", async (command) => {
    const session = await connect([...AI_AGENT, "--require-agent-dry-run"]);
    expect((await session.call("run_shell", { command })).text).toBe(DRY_RUN);
  });

  it("[003-risk] admin_* and identity_status are read, identity_device_login is mutable, also in events of denied calls", async () => {
    const session = await connect(AI_AGENT);
    const tools = [
      "admin_list_sessions",
      "admin_list_approvals",
      "admin_list_recordings",
      "admin_list_elevations",
      "admin_list_leases",
      "admin_explain",
      "identity_status",
      "identity_device_login",
    ];
    for (const tool of tools) await session.call(tool);
    const risks = Object.fromEntries(session.events().map((event) => [event["input"].command, event["input"].agent.risk]));
    expect(risks).toEqual({ ...Object.fromEntries(tools.map((tool) => [tool, "read"])), identity_device_login: "mutable" });
  });
});

function temporaryFolderOnce(): () => string {
  return () => temporaryFolder();
}

function link(folder: string): string {
  const target = join(folder, "target");
  writeFileSync(target, "run_shell\n");
  const path = join(folder, "link");
  symlinkSync(target, path);
  return path;
}

function pipe(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "pipe");
  spawnSync("mkfifo", [path]);
  return path;
}
