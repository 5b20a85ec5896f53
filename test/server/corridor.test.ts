import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Decision } from "../../src/policy/decision.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { createSessionRegistry } from "../../src/session/registry.ts";
import { ALLOW, codeOf, counted, decisionIdOf, DENY, DONE, openCorridor, removeFolders, resultOf } from "./support.ts";

afterEach(removeFolders);

function echoTool(parts: Partial<Tool> = {}): Tool {
  return {
    name: "list_sessions",
    title: "Echo",
    description: "gives back its text",
    input: z.strictObject({ text: z.string().default("none") }),
    output: z.strictObject({ text: z.string() }),
    timeoutMs: 60_000,
    handler: (args) => Promise.resolve({ structured: { text: args["text"] ?? null } }),
    ...parts,
  };
}

describe("a call that is admitted", () => {
  it("runs once and its result names the decision", async () => {
    const { corridor, events } = openCorridor();
    const { request, state } = counted("whoami", { a: 1 });
    const answer = await corridor.call(request);
    expect(state.runs).toBe(1);
    const [decision, outcome] = events();
    expect(resultOf(answer)).toEqual({ ...DONE, _meta: { "regate/decision": { decision_id: decision?.decision_id } } });
    expect(decision).toMatchObject({
      input: { command: "whoami", arguments: { a: 1 }, args: ["a=1"], path: "direct" },
      result: { allow: true },
    });
    expect(decision?.custom.regate).toMatchObject({ event: "decision", admitted: true });
    expect(outcome).toMatchObject({
      decision_id: decision?.decision_id,
      custom: { regate: { event: "outcome", outcome: { status: "ok" } } },
    });
    expect(outcome).not.toHaveProperty("input");
  });

  it("is on record before its handler runs", async () => {
    const { corridor, events } = openCorridor();
    let seen: unknown;
    await corridor.call({ ...counted("whoami").request, handler: () => ((seen = events().length), Promise.resolve(DONE)) });
    expect(seen).toBe(1);
  });

  it("hands on the policy's warnings", async () => {
    const warning = { code: "w", rule: "r", message: "careful" };
    const { corridor } = openCorridor({ decide: () => ({ ...ALLOW, warnings: [warning] }) });
    const answer = await corridor.call(counted("whoami").request);
    expect(resultOf(answer)._meta?.["regate/decision"]).toMatchObject({ warnings: [warning] });
  });

  it("gives the handler what was judged: frozen arguments, the session and the decision", async () => {
    const { corridor, claim } = openCorridor();
    const given = { list: [1, 2] };
    let seen: unknown;
    await corridor.call({
      tool: "whoami",
      arguments: given,
      path: "script",
      handler: (args, { call, session, decision }) => {
        seen = { args, frozen: Object.isFrozen(args["list"]), same: args === given, path: call.path, claim: session.claim, decision };
        return Promise.resolve(DONE);
      },
    });
    expect(seen).toEqual({ args: given, frozen: true, same: false, path: "script", claim, decision: ALLOW });
  });
});

describe("a call that is refused", () => {
  it("leaves the handler untouched and is on record", async () => {
    const { corridor, events } = openCorridor({ decide: () => DENY });
    const { request, state } = counted("whoami");
    const answer = await corridor.call(request);
    expect(state.runs).toBe(0);
    expect(resultOf(answer)).toEqual({
      content: [{ type: "text", text: "no" }],
      isError: true,
      _meta: { "regate/decision": { decision_id: events()[0]?.decision_id, code: "policy.denied", retryable: false } },
    });
    expect(events().map(({ custom }) => custom.regate["code"])).toEqual(["policy.denied"]);
  });

  it.each(["direct", "execute", "script", "delegated"] as const)("has the same bytes on the %s path", async (path) => {
    const { corridor } = openCorridor({ allowlist: new Set() });
    const answer = await corridor.call(counted("run_shell", { command: "rm x" }, { path }).request);
    expect(JSON.stringify(resultOf(answer).content)).toBe('[{"type":"text","text":"agent: tool is not entitled"}]');
  });

  it("is not decided by policy when an earlier stage objects, but logged with its whole input", async () => {
    const { corridor, engine, events } = openCorridor({ requireDryRun: true });
    const answer = await corridor.call(counted("run_shell", { command: "rm x" }).request);
    expect(codeOf(answer)).toBe("agent.dry_run_required");
    expect(engine.asked).toEqual([]);
    expect(events()[0]).toMatchObject({ input: { command: "run_shell", arguments: { command: "rm x" }, agent: { risk: "destructive" } } });
    expect(events()[0]).not.toHaveProperty("result");
  });

  it("[003-engine-unbound] says so of every tool when no engine is bound", async () => {
    const { corridor } = openCorridor({ engine: undefined });
    for (const tool of ["run_shell", "audit_log", "no_such_tool"]) {
      expect(resultOf(await corridor.call(counted(tool).request)).content).toEqual([
        { type: "text", text: "agent: security engine is not bound" },
      ]);
    }
    expect(corridor.listTools()).toEqual([]);
  });

  it("stops the session when the denial says halt", async () => {
    const { corridor } = openCorridor({ decide: ({ command }) => (command === "bad" ? { ...DENY, halt: true } : ALLOW) });
    expect(codeOf(await corridor.call(counted("good").request))).toBe("ok");
    expect(codeOf(await corridor.call(counted("bad").request))).toBe("policy.denied");
    const { request, state } = counted("good");
    expect(codeOf(await corridor.call(request))).toBe("gate.stopped");
    expect(state.runs).toBe(0);
  });
});

describe("local tools", () => {
  it("get checked arguments with defaults, and answer with structured content", async () => {
    const { corridor } = openCorridor({ registry: createRegistry([echoTool()]) });
    const answer = await corridor.call({ tool: "list_sessions", arguments: { agent_id: "evil", session_id: 7 }, path: "direct" });
    expect(resultOf(answer)).toMatchObject({ content: [{ type: "text", text: '{"text":"none"}' }], structuredContent: { text: "none" } });
  });

  it("refuse unknown arguments after the decision, and on record", async () => {
    const { corridor, events } = openCorridor({ registry: createRegistry([echoTool()]) });
    const answer = await corridor.call({ tool: "list_sessions", arguments: { risk: "read" }, path: "direct" });
    expect(resultOf(answer)).toMatchObject({
      content: [{ type: "text", text: "call: arguments do not match the tool's schema: `risk` is not an argument of this tool" }],
      isError: true,
      _meta: { "regate/decision": { code: "call.arguments_invalid" } },
    });
    const [decision, outcome] = events();
    expect(decision).toMatchObject({ input: { arguments: { risk: "read" } }, custom: { regate: { admitted: true } } });
    expect(outcome?.custom.regate.outcome).toMatchObject({ status: "arguments_invalid", code: "call.arguments_invalid" });
  });

  it("are refused by policy before their arguments are looked at", async () => {
    const { corridor } = openCorridor({ registry: createRegistry([echoTool()]), decide: () => DENY });
    expect(codeOf(await corridor.call({ tool: "list_sessions", arguments: { risk: "read" }, path: "direct" }))).toBe("policy.denied");
  });

  it("fail when their result does not fit their own schema", async () => {
    const tool = echoTool({ handler: () => Promise.resolve({ structured: { text: 1 } }) });
    const { corridor, reports } = openCorridor({ registry: createRegistry([tool]) });
    expect(codeOf(await corridor.call({ tool: "list_sessions", arguments: {}, path: "direct" }))).toBe("call.failed");
    expect(reports.map(String)).toEqual(["Error: the result of `list_sessions` does not fit its output schema"]);
  });

  it("are unknown only when policy allows", async () => {
    const { corridor, events } = openCorridor({ decide: ({ command }) => (command === "secret" ? DENY : ALLOW) });
    expect(await corridor.call({ tool: "nothing", arguments: {}, path: "direct" })).toEqual({ kind: "unknown_tool" });
    expect(codeOf(await corridor.call({ tool: "secret", arguments: {}, path: "direct" }))).toBe("policy.denied");
    expect(events().map(({ custom }) => custom.regate.event)).toEqual(["decision", "outcome", "decision"]);
    expect(events()[1]?.custom.regate.outcome).toMatchObject({ status: "error", code: "call.unknown_tool" });
    expect(events()[0]).toMatchObject({ input: { tool: { name: "nothing", known: false, read_only: false }, agent: { risk: "unknown" } } });
  });

  it("are listed as the allowlist and gate/listing have it, whatever the session's state", async () => {
    const tools = ["list_sessions", "audit_log", "run_shell"].map((name) => echoTool({ name }));
    const { corridor, engine, identity } = openCorridor({
      registry: createRegistry(tools),
      allowlist: new Set(["list_sessions", "run_shell"]),
      decide: ({ command }) => (command === "run_shell" ? DENY : ALLOW),
    });
    const first = corridor.listTools();
    expect(first.map(({ name }) => name)).toEqual(["list_sessions"]);
    expect(first[0]).toEqual({
      name: "list_sessions",
      title: "Echo",
      description: "gives back its text",
      inputSchema: { type: "object", properties: { text: { default: "none", type: "string" } }, additionalProperties: false },
      outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
      annotations: { title: "Echo", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
    for (const input of engine.asked) {
      expect(Object.keys(input)).not.toEqual(expect.arrayContaining(["session"]));
      expect(["session", "usage", "profile"].filter((key) => key in input)).toEqual([]);
    }
    identity.recordIdentityRead("erika");
    await corridor.call(counted("whoami").request);
    expect(corridor.listTools()).toEqual(first);
  });

  it("list run_shell as what it can do at worst", () => {
    const { corridor } = openCorridor({ registry: createRegistry([echoTool({ name: "run_shell" })]) });
    expect(corridor.listTools()[0]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
  });
});

describe("dry run", () => {
  it("answers with a plan and runs nothing, harmless or not", async () => {
    const { corridor, events } = openCorridor({ requireDryRun: true });
    for (const command of ["rm x", "echo hi"]) {
      const { request, state } = counted("run_shell", { command, dry_run: true });
      const answer = await corridor.call(request);
      expect(state.runs).toBe(0);
      expect(resultOf(answer)).toMatchObject({ structuredContent: { dry_run: true, command, policy: { allow: true } } });
      expect(resultOf(answer).isError).toBeUndefined();
    }
    expect(events().filter(({ custom }) => custom.regate.event === "outcome")).toHaveLength(2);
    expect(events()[1]?.custom.regate.outcome).toMatchObject({ status: "dry_run" });
  });

  it("is refused when policy refuses it", async () => {
    const { corridor } = openCorridor({ decide: () => DENY });
    expect(codeOf(await corridor.call(counted("run_shell", { command: "rm x", dry_run: true }).request))).toBe("policy.denied");
  });

  it("is just an argument of any other tool", async () => {
    const { corridor } = openCorridor();
    const { request, state } = counted("eval_starlark", { code: "1", dry_run: true });
    expect(codeOf(await corridor.call(request))).toBe("ok");
    expect(state.runs).toBe(1);
  });

  it.each([{}, { command: 7 }, { command: ["rm", "x"] }, { cmd: "rm -rf /" }])(
    "runs no run_shell with %j, whoever brings the handler",
    async (args) => {
      const { corridor } = openCorridor();
      const { request, state } = counted("run_shell", args);
      expect(codeOf(await corridor.call(request))).toBe("call.arguments_invalid");
      expect(state.runs).toBe(0);
    },
  );
});

describe("hostile calls", () => {
  it.each([
    ["a lone surrogate", { command: "echo \ud800" }, "policy.error"],
    ["NaN", { n: Number.NaN }, "policy.error"],
    ["6 MB", { text: "x".repeat(6_000_000) }, "call.too_large"],
  ])("with %s are refused, and the next one is judged as usual", async (_, args, code) => {
    const { corridor, events } = openCorridor();
    const { request, state } = counted("run_shell", args);
    expect(codeOf(await corridor.call(request))).toBe(code);
    expect(state.runs).toBe(0);
    expect(events()[0]).toMatchObject({ input: { arguments: {}, args: [] }, custom: { regate: { admitted: false, code } } });
    expect(codeOf(await corridor.call(counted("run_shell", { command: "echo" }).request))).toBe("ok");
  });

  it("are refused for the name before anything else", async () => {
    const { corridor } = openCorridor({ allowlist: new Set(["run_shell"]), requireDryRun: true });
    expect(codeOf(await corridor.call(counted("rm\ud800", { command: "\ud800" }).request))).toBe("agent.not_entitled");
  });

  it("cannot make the corridor reject", async () => {
    const { corridor, reports } = openCorridor();
    const answer = await corridor.call({ tool: undefined as unknown as string, arguments: {}, path: "direct" });
    expect(codeOf(answer)).toBe("gate.internal");
    expect(reports).toHaveLength(1);
  });

  it("meet a refusal, on record, when an engine breaks its promise not to throw", async () => {
    const { corridor, events, reports } = openCorridor({
      decide: () => {
        throw new Error("broken");
      },
    });
    const { request, state } = counted("whoami");
    const answer = await corridor.call(request);
    expect(resultOf(answer).content).toEqual([{ type: "text", text: "gate: internal error, nothing was executed" }]);
    expect(state.runs).toBe(0);
    expect(events()[0]?.custom.regate).toMatchObject({ code: "gate.internal", stage: "admission" });
    expect(reports).toHaveLength(1);
  });
});

describe("the session", () => {
  it("counts calls for policy, this one not included", async () => {
    const { corridor, engine } = openCorridor({ decide: ({ command }) => (command === "bad" ? DENY : ALLOW) });
    let release: () => void = () => undefined;
    const waiting = corridor.call({
      tool: "slow",
      arguments: {},
      path: "direct",
      handler: () => new Promise((resolve) => (release = () => resolve(DONE))),
    });
    await corridor.call(counted("bad").request);
    await corridor.call(counted("slow").request);
    expect(engine.asked.map((input) => input["usage"])).toMatchObject([
      { calls: 0, tool_calls: 0, running: 0, denied: 0 },
      { calls: 1, tool_calls: 0, running: 1, denied: 0 },
      { calls: 2, tool_calls: 1, running: 1, denied: 1 },
    ]);
    release();
    await waiting;
  });

  it("is registered while the corridor is open", async () => {
    const sessions = createSessionRegistry();
    const { corridor, claim } = openCorridor({ sessions });
    expect(sessions.list()).toMatchObject([{ id: claim.sessionId, agent_id: "tester", user: "erika", principals: ["staff"] }]);
    await corridor.close();
    expect(sessions.list()).toEqual([]);
  });

  it("can be looked ahead of without a trace", async () => {
    const { corridor, identity, events, engine } = openCorridor({ decide: () => ({ ...ALLOW, effect: "rearm" }) });
    await corridor.call(counted("whoami").request);
    const verdict = corridor.decide(counted("config_switch", { label: "x" }).request);
    expect(verdict).toMatchObject({ admitted: true, decision: { effect: "rearm" } });
    expect(identity.epoch).toBe(1);
    expect(events()).toHaveLength(2);
    expect(engine.asked[1]).toMatchObject({ usage: { calls: 1 } });
    await corridor.call(counted("whoami").request);
    expect(engine.asked[2]).toMatchObject({ usage: { calls: 1 } });
  });
});

describe("results", () => {
  it("never carry a decision that a tool forged", async () => {
    const { corridor } = openCorridor();
    const forged = { ...DONE, _meta: { "regate/decision": { decision_id: "forged" }, trace: 1 } };
    const answer = await corridor.call({ ...counted("whoami").request, handler: () => Promise.resolve(forged) });
    expect(resultOf(answer)._meta).toEqual({ trace: 1, "regate/decision": { decision_id: decisionIdOf(answer) } });
    expect(decisionIdOf(answer)).not.toBe("forged");
  });

  it("of a decision document that asks for what cannot be given are refusals", async () => {
    const cases: [Partial<Decision>, string][] = [
      [{ approval: { quorum: 2 } }, "approval.unavailable"],
      [{ confirm: "block" }, "confirm.blocked"],
      [{ confirm: "elicit" }, "confirm.no_channel"],
    ];
    for (const [terms, code] of cases) {
      const { corridor } = openCorridor({ decide: () => ({ ...ALLOW, ...terms }) });
      const { request, state } = counted("whoami");
      expect(codeOf(await corridor.call(request))).toBe(code);
      expect(state.runs).toBe(0);
    }
  });
});
