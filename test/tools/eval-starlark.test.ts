import { describe, expect, it } from "vitest";
import type { StarlarkResult } from "../../src/starlark/evaluation.ts";
import { StarlarkError } from "../../src/starlark/starlark-error.ts";
import { checkArguments } from "../../src/tools/arguments.ts";
import { evalStarlarkTool } from "../../src/tools/eval-starlark.ts";
import type { EvalStarlarkPorts, ScriptCall } from "../../src/tools/eval-starlark.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { PassedOn, ToolError } from "../../src/tools/tool-error.ts";
import { contextOf } from "./kit.ts";

const DONE: StarlarkResult = { output: "", result: {}, shown: "{}", steps: 1, truncated: false };

function tool(ports: Partial<EvalStarlarkPorts> = {}) {
  return evalStarlarkTool({ evaluate: () => Promise.resolve(DONE), callTool: () => Promise.reject(new Error("no calls")), ...ports });
}

/** What a script that calls one tool gets, or what ends it. */
async function called(answer: Awaited<ReturnType<EvalStarlarkPorts["callTool"]>>) {
  const calls: ScriptCall[] = [];
  let got: unknown;
  const { handler } = tool({
    callTool: (call) => (calls.push(call), Promise.resolve(answer)),
    evaluate: async ({ call }) => {
      got = await call({ tool: "t", arguments: { agent_id: "root" } }, AbortSignal.timeout(60_000));
      return DONE;
    },
  });
  const end = await handler({ code: "" }, contextOf({})).catch((error: unknown) => error);
  return { calls, got, end };
}

describe("eval_starlark", () => {
  it("publishes one closed input and output", () => {
    const registered = createRegistry([tool()]).get("eval_starlark");
    expect(registered?.inputSchema).toEqual({
      type: "object",
      properties: { code: { type: "string", description: "Starlark program" } },
      required: ["code"],
      additionalProperties: false,
    });
    expect(registered?.outputSchema).toMatchObject({
      type: "object",
      required: ["output", "result", "steps", "truncated"],
      additionalProperties: false,
    });
  });

  it.each([
    ["no code", {}, "`code`"],
    ["code that is no text", { code: 1 }, "`code`"],
    ["a dry run, which it does not know", { code: "", dry_run: true }, "`dry_run` is not an argument of this tool"],
  ])("refuses %s", (_name, args, problem) => {
    expect(checkArguments(tool().input, args)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  it.each([
    ["nothing", DONE, "output: \nresult: {}"],
    ["text", { ...DONE, output: "a\nb\n", shown: '{"x": None}' }, 'output: a\nb\nresult: {"x": None}'],
    ["text that was cut", { ...DONE, output: "a\nb", truncated: true }, "output: a\nb\nresult: {}"],
  ])("answers a script that printed %s", async (_name, done, text) => {
    const answer = await tool({ evaluate: () => Promise.resolve(done) }).handler({ code: "" }, contextOf({}));
    const { shown: _shown, ...structured } = done;
    expect(answer).toEqual({ structured, text });
    expect(tool().output.safeParse(answer.structured).success).toBe(true);
  });

  it("hands the code on as it is, with the call's own signal", async () => {
    let given: unknown;
    const stop = new AbortController();
    await tool({ evaluate: ({ source, signal }) => ((given = [source, signal === stop.signal]), Promise.resolve(DONE)) }).handler(
      { code: "x = 1\n" },
      contextOf({}, stop.signal),
    );
    expect(given).toEqual(["x = 1\n", true]);
  });

  it("says what ended a script, in the words of the engine", async () => {
    const ended = tool({ evaluate: () => Promise.reject(new StarlarkError("out of memory")) }).handler({ code: "" }, contextOf({}));
    await expect(ended).rejects.toThrow(new ToolError("starlark error: out of memory"));
  });

  it("keeps any other error to itself", async () => {
    const inside = new Error("secret");
    await expect(tool({ evaluate: () => Promise.reject(inside) }).handler({ code: "" }, contextOf({}))).rejects.toBe(inside);
  });

  it("does not run inside a script", async () => {
    const context = { ...contextOf({}), link: { decisionId: "d-1", scripted: true } };
    const nested = tool({ evaluate: () => Promise.reject(new Error("it ran")) }).handler({ code: "" }, context);
    await expect(nested).rejects.toThrow(new ToolError("starlark error: nested evaluation is not allowed"));
  });
});

describe("a call of a script", () => {
  const text = [
    { type: "text", text: "a" },
    { type: "image", data: "x" },
    { type: "text", text: "b" },
  ];

  it("is a name and arguments, linked to the call of eval_starlark", async () => {
    const { calls } = await called({ content: [] });
    expect(calls).toEqual([
      { tool: "t", arguments: { agent_id: "root" }, from: { decisionId: "d-1", scripted: true }, signal: expect.any(AbortSignal) },
    ]);
  });

  it.each([
    ["the structured result", { content: text, structuredContent: { x: 1 } }, { x: 1 }],
    ["the text when there is none", { content: text }, "a\nb"],
    ["nothing of nothing", { content: [] }, ""],
  ])("gives %s", async (_name, answer, got) => {
    expect((await called(answer)).got).toEqual(got);
  });

  it("that is refused ends the script with the whole answer", async () => {
    const answer = { content: [{ type: "text", text: "agent: tool is not entitled" }], isError: true, structuredContent: { x: 1 } };
    const { end, got } = await called(answer);
    expect(got).toBeUndefined();
    expect(end).toBeInstanceOf(PassedOn);
    expect((end as PassedOn).answer).toBe(answer);
  });

  it("of a tool that does not exist ends it too", async () => {
    expect((await called(undefined)).end).toEqual(new ToolError("starlark error: unknown tool `t`"));
  });
});
