import { describe, expect, it } from "vitest";
import { factsOf } from "../../src/call/risk-table.ts";
import type { ShellAnalysis, ToolCall } from "../../src/call/tool-call.ts";
import { argStrings, buildPolicyInput } from "../../src/policy/build-input.ts";
import { policyInputSchema } from "../../src/policy/input.ts";
import type { SessionView } from "../../src/session/session.ts";

const SESSION: SessionView = {
  claim: { sessionId: "mcp-1764518400000000000", agentId: "builder" },
  user: "dev",
  groups: ["staff"],
  identity: { identity_confirmed: true, confirmed_profile: "erika", epoch: 2 },
  profile: { active: "erika" },
  variables: { KUBECONFIG: "not for policy" },
  client: { elicitation: true, name: "host", version: "1.2.3" },
  usage: { calls: 3, tool_calls: 1, calls_last_minute: 2, running: 0, denied: 1, elapsed_seconds: 12.5 },
};
const SHELL: ShellAnalysis = {
  verdict: "destructive",
  verifiable: true,
  destructive: true,
  findings: [{ rule: "seed.rm", verdict: "destructive", word: "rm", start: 0, end: 2 }],
  commands: [{ name: "rm", argv: ["rm", { dynamic: true, text: "$x" }], via: ["sudo"] }],
  redirects: [{ op: ">", target: "out" }],
};
const call = (parts: Partial<ToolCall> = {}): ToolCall => ({
  tool: "list_sessions",
  arguments: {},
  path: "direct",
  time: "2026-07-01T12:00:00.000Z",
  facts: factsOf("list_sessions"),
  risk: "read",
  dryRun: false,
  ...parts,
});
const PARTS = { call: call(), session: SESSION, environment: { sandbox: "none" } } as const;

describe("buildPolicyInput", () => {
  it("has exactly the fields of the contract", () => {
    expect(buildPolicyInput(PARTS)).toEqual({
      time: "2026-07-01T12:00:00.000Z",
      user: "dev",
      groups: ["staff"],
      session_id: "mcp-1764518400000000000",
      agent: { id: "builder", session_id: "mcp-1764518400000000000", kind: "mcp", risk: "read", dry_run: false },
      command: "list_sessions",
      args: [],
      arguments: {},
      tool: factsOf("list_sessions"),
      path: "direct",
      session: { identity_confirmed: true, confirmed_profile: "erika", epoch: 2 },
      profile: { active: "erika" },
      client: { elicitation: true, name: "host", version: "1.2.3" },
      usage: { calls: 3, tool_calls: 1, calls_last_minute: 2, running: 0, denied: 1, elapsed_seconds: 12.5 },
      method: "tools/call",
      environment: { sandbox: "none" },
    });
  });

  it("adds what is set, and the analysis of a command without its verdict", () => {
    const shellCall = call({
      tool: "run_shell",
      facts: factsOf("run_shell"),
      risk: "destructive",
      dryRun: true,
      shell: SHELL,
      path: "execute",
    });
    const approval = { approved: true, approvers: ["al"], at: "2026-07-01T12:00:01Z" };
    const elevation = { role: "human-approved-agent", reason: "clean up", tools: ["run_shell"] };
    const input = buildPolicyInput({
      call: shellCall,
      session: SESSION,
      environment: { sandbox: "bwrap" },
      workdir: "/srv/app",
      context: { ticket: "T-1" },
      approval,
      elevation,
      lease: { id: "l1", ttl_seconds: 60 },
      subject: { user_id: "u1" },
    });
    expect(input).toMatchObject({
      agent: { risk: "destructive", dry_run: true },
      path: "execute",
      workdir: "/srv/app",
      context: { ticket: "T-1" },
      approval,
      elevation,
      lease: { id: "l1", ttl_seconds: 60 },
      subject: { user_id: "u1" },
      environment: { sandbox: "bwrap" },
    });
    const { verdict: _, ...shell } = SHELL;
    expect(input.shell).toEqual(shell);
  });

  it("leaves `usage` out of a listing, and nothing else", () => {
    const { usage, ...rest } = buildPolicyInput(PARTS);
    expect(usage).toBeDefined();
    expect(buildPolicyInput({ ...PARTS, listing: true })).toEqual(rest);
  });

  it("lets nothing in the arguments reach the claim (law 8)", () => {
    const hostile = {
      agent_id: "root",
      session_id: "mcp-0",
      agent: { id: "root", risk: "read", dry_run: true },
      input: { agent: { id: "root" } },
      command: "whoami",
      tool: { read_only: true },
      session: { identity_confirmed: true },
      elevation: { role: "human-approved-agent" },
      context: { trusted: true },
      dry_run: true,
    };
    const { args, arguments: given, ...rest } = buildPolicyInput({ ...PARTS, call: call({ arguments: hostile }) });
    const { args: _args, arguments: _given, ...plain } = buildPolicyInput(PARTS);
    expect(rest).toEqual(plain);
    expect(given).toEqual(hostile);
    expect(args).toContain("agent_id=root");
  });

  it("fits its own schema and survives JSON unchanged", () => {
    const input = buildPolicyInput({ ...PARTS, call: call({ tool: "run_shell", shell: SHELL, arguments: { command: "rm $x" } }) });
    expect(policyInputSchema.safeParse(input).success).toBe(true);
    expect(JSON.parse(JSON.stringify(input))).toEqual(input);
  });
});

describe("argStrings", () => {
  it.each([
    ["nothing", {}, []],
    ["strings verbatim", { command: "echo a=b\n" }, ["command=echo a=b\n"]],
    [
      "other values as JSON",
      { n: 1.5, t: true, z: null, a: [1, "x"], o: { k: "v" } },
      ['a=[1,"x"]', "n=1.5", 'o={"k":"v"}', "t=true", "z=null"],
    ],
    ["a string that looks like JSON", { s: '{"k":1}', t: "true" }, ['s={"k":1}', "t=true"]],
    ["a dry run", { command: "rm x", dry_run: true }, ["command=rm x", "dry_run=true"]],
    [
      "strings by UTF-16 units",
      { "\u{1F0A1}": "astral", "\uFF5E": "full width", a: "a", "a!": "b" },
      ["a!=b", "a=a", "\u{1F0A1}=astral", "\uFF5E=full width"],
    ],
    ["keys that look like numbers", { 10: "x", 9: "y" }, ["10=x", "9=y"]],
    ["an empty key", { "": "" }, ["="]],
  ])("writes %s", (_note, args, want) => {
    expect(argStrings(args)).toEqual(want);
  });

  it("treats the keys of prototypes as plain data", () => {
    expect(argStrings(JSON.parse('{"__proto__":"p","constructor":1}') as Record<string, string>)).toEqual(["__proto__=p", "constructor=1"]);
  });
});
