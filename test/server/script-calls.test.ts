import { afterAll, afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/call/json.ts";
import { createCommandBook } from "../../src/server/commands.ts";
import type { CorridorOptions } from "../../src/server/core.ts";
import { declaredFacts } from "../../src/server/facts.ts";
import { createScriptCalls } from "../../src/server/script-calls.ts";
import { openStarlark } from "../../src/starlark/engine.ts";
import { evalStarlarkTool } from "../../src/tools/eval-starlark.ts";
import { executeTool } from "../../src/tools/execute.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import type { Tool, ToolContext } from "../../src/tools/tool.ts";
import { ALLOW, codeOf, decisionIdOf, DENY, openCorridor, removeFolders, resultOf, wordOf } from "./support.ts";

const starlark = openStarlark({ limits: { steps: 1_000_000, timeMs: 60_000, memoryMb: 64, outputBytes: 65_536 } });
afterEach(removeFolders);
afterAll(() => starlark.close());

const SLOW = { timeout: 120_000 };

const INPUT = z.strictObject(
  Object.fromEntries(["a", "command", "dry_run", "label"].map((name) => [name, z.union([z.string(), z.number(), z.boolean()]).optional()])),
);

/** A tool of a test. */
function probe(name: string, handler: Tool["handler"] = () => Promise.resolve({ structured: { ok: true } })): Tool {
  return { name, title: name, description: name, input: INPUT, output: z.strictObject({ ok: z.boolean() }), timeoutMs: 60_000, handler };
}

/** A corridor with eval_starlark, execute and the tools of a test. */
function open({ tools = [], ...options }: Parameters<typeof openCorridor>[0] & { readonly tools?: readonly Tool[] } = {}) {
  const factsOf = declaredFacts(undefined, {});
  const scripts = createScriptCalls();
  const commands = createCommandBook(factsOf);
  const registry = createRegistry([
    evalStarlarkTool({ evaluate: starlark.evaluate, callTool: scripts.callTool }),
    executeTool(commands),
    ...tools,
  ]);
  const opened = openCorridor({ registry, ...options });
  scripts.bind(opened.corridor);
  commands.use(registry);
  commands.bind(opened.corridor);
  const run = (code: string, signal?: AbortSignal) =>
    opened.corridor.call({ tool: "eval_starlark", arguments: { code }, path: "direct", ...(signal === undefined ? {} : { signal }) });
  return { ...opened, run };
}

const HUMAN: Partial<CorridorOptions> = { confirm: () => Promise.resolve("accepted") };

describe("a tool call of a script", SLOW, () => {
  it("is judged with the same claim, on its own path, and recorded under the outer decision", async () => {
    const { run, engine, claim, events } = open({ tools: [probe("list_sessions")] });
    const answer = await run('x = tool("list_sessions", agent_id="root", session_id="mcp-0")');
    expect(resultOf(answer).structuredContent).toMatchObject({ result: { x: { ok: true } } });
    expect(engine.asked.map(({ command, path, agent, session_id }) => ({ command, path, agent, session_id }))).toEqual(
      [
        ["eval_starlark", "direct", "mutable"],
        ["list_sessions", "script", "read"],
      ].map(([command, path, risk]) => ({
        command,
        path,
        agent: { id: claim.agentId, session_id: claim.sessionId, kind: "mcp", risk, dry_run: false },
        session_id: claim.sessionId,
      })),
    );
    const [outer, inner] = events().filter(({ custom }) => custom.regate.event === "decision");
    expect(outer?.custom.regate).not.toHaveProperty("parent_decision_id");
    expect(inner?.custom.regate).toMatchObject({ parent_decision_id: outer?.decision_id });
    expect(events().map(wordOf)).toEqual(["admitted", "admitted", "ok", "ok"]);
  });

  it.each<[string, Parameters<typeof open>[0], string]>([
    ["the allowlist", { allowlist: new Set(["eval_starlark"]) }, "list_sessions"],
    ["policy", { decide: ({ command }) => (command === "list_sessions" ? DENY : ALLOW) }, "list_sessions"],
    ["its own schema", { tools: [{ ...probe("list_sessions"), input: z.strictObject({}) }] }, "list_sessions"],
    ["its own failure", { tools: [probe("list_sessions", () => Promise.reject(new ToolError("broken")))] }, "list_sessions"],
    [
      "a failure that is nobody's business",
      { tools: [probe("list_sessions", () => Promise.reject(new Error("secret")))] },
      "list_sessions",
    ],
  ])("that is refused by %s ends the script with the bytes of the direct path", async (_name, options, tool) => {
    const ran: string[] = [];
    const { run, corridor, events } = open({
      ...options,
      tools: [
        ...(options?.tools ?? [probe("list_sessions")]),
        probe("audit_log", () => (ran.push("audit_log"), Promise.resolve({ structured: { ok: true } }))),
      ],
      allowlist: options?.allowlist ?? new Set(["eval_starlark", "list_sessions", "audit_log"]),
    });
    const direct = await corridor.call({ tool, arguments: { a: 1 }, path: "direct" });
    const scripted = await run(`print("seen")\ntool("${tool}", a=1)\ntool("audit_log")`);
    const without = ({ content, isError, structuredContent }: ReturnType<typeof resultOf>) => ({ content, isError, structuredContent });
    expect(without(resultOf(scripted))).toEqual(without(resultOf(direct)));
    expect(codeOf(scripted)).toBe(codeOf(direct));
    expect(ran).toEqual([]);
    // The answer names the inner decision; the outer call ended with its code.
    const inner = events().find(({ custom }) => custom.regate["parent_decision_id"] !== undefined);
    expect(decisionIdOf(scripted)).toBe(inner?.decision_id);
    expect(events().at(-1)?.custom.regate.outcome).toMatchObject({ tool: "eval_starlark", status: "error", code: codeOf(direct) });
  });

  it("needs its own dry run, whatever the outer call says", async () => {
    const { run, corridor } = open({ tools: [probe("run_shell")], requireDryRun: true });
    const direct = await corridor.call({ tool: "run_shell", arguments: { command: "rm -rf x" }, path: "direct" });
    const scripted = await run('tool("run_shell", command="rm -rf x")');
    expect(resultOf(scripted).content).toEqual(resultOf(direct).content);
    expect(resultOf(scripted).content).toEqual([{ type: "text", text: "agent: destructive action requires dry_run=true" }]);
    const plan = await run('x = tool("run_shell", command="rm -rf x", dry_run=True)\nx = [x["dry_run"], x["verdict"]]');
    expect(resultOf(plan).structuredContent).toMatchObject({ result: { x: [true, "destructive"] } });
  });

  it("of a tool that does not exist is gated, then an error", async () => {
    const { run, events } = open();
    expect(resultOf(await run('tool("four_eyes_approve", id="1")')).content).toEqual([
      { type: "text", text: "starlark error: unknown tool `four_eyes_approve`" },
    ]);
    expect(events().map(wordOf)).toEqual(["admitted", "admitted", "error", "error"]);
  });

  it.each([
    ["by its name", 'tool("eval_starlark", code="x = 1")'],
    ["through execute", 'tool("execute", command_key="eval_starlark", arguments={"code": "x = 1"})'],
  ])("is no further script, %s", async (_name, code) => {
    const { run, events } = open();
    expect(resultOf(await run(code)).content).toEqual([{ type: "text", text: "starlark error: nested evaluation is not allowed" }]);
    const decisions = events().filter(({ custom }) => custom.regate.event === "decision");
    expect(decisions.slice(1).map(({ custom }, index) => custom.regate["parent_decision_id"] === decisions[index]?.decision_id)).toEqual(
      decisions.slice(1).map(() => true),
    );
  });

  it.each([
    ["by its name", 'tool("list_sessions")'],
    ["through execute", 'tool("execute", command_key="list_sessions")'],
  ])("cannot wait for a human, %s", async (_name, code) => {
    const { run, corridor } = open({
      ...HUMAN,
      tools: [probe("list_sessions")],
      decide: ({ command }) => ({ ...ALLOW, confirm: command === "list_sessions" ? "elicit" : "none" }),
    });
    corridor.setClient({ elicitation: true });
    expect(codeOf(await corridor.call({ tool: "list_sessions", arguments: {}, path: "direct" }))).toBe("ok");
    const answer = await run(code);
    expect(codeOf(answer)).toBe("confirm.no_channel");
    expect(resultOf(answer).content).toEqual([{ type: "text", text: "confirm: no way to ask the human, nothing was executed" }]);
  });

  it("shares the identity state: what a read confirms and a switch re-arms", async () => {
    const effects: Record<string, "record_identity_read" | "rearm"> = { whoami: "record_identity_read", config_switch: "rearm" };
    const { run, identity } = open({
      tools: [probe("whoami"), probe("config_switch"), probe("audit_log")],
      decide: (input) => {
        const { identity_confirmed } = input["session"] as JsonObject;
        const command = input["command"] as string;
        const effect = effects[command] ?? "none";
        return command === "audit_log" && identity_confirmed !== true ? DENY : { ...ALLOW, effect };
      },
    });
    expect(codeOf(await run('tool("audit_log")'))).toBe("policy.denied");
    expect(codeOf(await run('tool("whoami")\ntool("audit_log")'))).toBe("ok");
    expect(identity.identityConfirmed).toBe(true);
    expect(codeOf(await run('tool("audit_log")\ntool("config_switch", label="b")\ntool("audit_log")'))).toBe("policy.denied");
    expect(identity.identityConfirmed).toBe(false);
  });

  it("is cancelled with the call of eval_starlark, and nothing is left running", async () => {
    const stop = new AbortController();
    const stopped: string[] = [];
    const waits: Tool["handler"] = (_args, { signal }: ToolContext) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          stopped.push("inner");
          reject(new Error("stopped"));
        });
        stop.abort();
      });
    const { run, events, corridor } = open({ tools: [probe("list_sessions", waits)] });
    expect(codeOf(await run('tool("list_sessions")', stop.signal))).toBe("call.cancelled");
    await corridor.close();
    expect(stopped).toEqual(["inner"]);
    expect(
      events()
        .filter(({ custom }) => custom.regate.event === "outcome")
        .map(wordOf)
        .sort(),
    ).toEqual(["cancelled", "cancelled"]);
  });

  it("does not wait for the calls beside it", async () => {
    const { run } = open({ tools: [probe("list_sessions")] });
    const answers = await Promise.all(Array.from({ length: 8 }, () => run('x = [tool("list_sessions") for i in range(4)]')));
    expect(answers.map(codeOf)).toEqual(Array.from({ length: 8 }, () => "ok"));
  });
});
