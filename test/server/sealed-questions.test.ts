import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../src/call/tool-call.ts";
import { createSealedQuestions, type QuestionScope } from "../../src/server/sealed-questions.ts";

const CALL: QuestionScope["call"] = { tool: "drop", path: "direct", arguments: { table: "t", force: true } };
const SCOPE: QuestionScope = { session: "mcp-1", agent: "a", call: CALL, policy: "sha256:1" };
const SHOWN = { epoch: 3, label: "Erika" };

function opened(lifetimeMs = 1_000) {
  const time = { now: 0 };
  return { time, questions: createSealedQuestions({ lifetimeMs, clock: () => time.now }) };
}

/** A call that differs in one part. */
const callWith = (parts: Partial<ToolCall>): QuestionScope => ({ ...SCOPE, call: { ...CALL, ...parts } });

describe("createSealedQuestions", () => {
  it("gives back what was shown, once", () => {
    const { questions } = opened();
    const state = questions.open(SCOPE, SHOWN);
    expect(questions.take(state, callWith({ arguments: { force: true, table: "t" } }))).toEqual(SHOWN);
    expect(questions.take(state, SCOPE)).toBeUndefined();
  });

  it.each<[string, QuestionScope]>([
    ["session", { ...SCOPE, session: "mcp-2" }],
    ["agent", { ...SCOPE, agent: "b" }],
    ["policy", { ...SCOPE, policy: "sha256:2" }],
    ["tool", callWith({ tool: "drop2" })],
    ["path", callWith({ path: "execute" })],
    ["argument", callWith({ arguments: { table: "t", force: 1 } })],
    ["number of arguments", callWith({ arguments: { table: "t" } })],
  ])("is bound to the %s, and used up by a try", (_what, other) => {
    const { questions } = opened();
    const state = questions.open(SCOPE, SHOWN);
    expect(questions.take(state, other)).toBeUndefined();
    expect(questions.take(state, SCOPE)).toBeUndefined();
  });

  it("can be answered until its time is over", () => {
    const { questions, time } = opened(1_000);
    const [early, late] = [questions.open(SCOPE, SHOWN), questions.open(SCOPE, SHOWN)];
    time.now = 999;
    expect(questions.take(early, SCOPE)).toEqual(SHOWN);
    time.now = 1_000;
    expect(questions.take(late, SCOPE)).toBeUndefined();
  });

  it("knows no text of another process, and none that was changed in any character", () => {
    const { questions } = opened();
    expect(questions.take(opened().questions.open(SCOPE, SHOWN), SCOPE)).toBeUndefined();
    const state = questions.open(SCOPE, SHOWN);
    for (let at = 0; at < state.length; at += 1) {
      const changed = `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
      expect(questions.take(changed, SCOPE)).toBeUndefined();
    }
    for (const form of [`${state}=`, `${state}\n`, ` ${state}`, state.slice(0, 30), "", "=", "\u0000", state.replaceAll("-", "+")]) {
      if (form !== state) expect(questions.take(form, SCOPE)).toBeUndefined();
    }
    expect(questions.take(state, SCOPE)).toEqual(SHOWN);
  });

  it("shows nothing of what it holds", () => {
    const { questions } = opened();
    const state = questions.open(SCOPE, SHOWN);
    expect(Buffer.from(state, "base64url").toString("latin1")).not.toMatch(/Erika|epoch|label/);
    expect(questions.open(SCOPE, SHOWN)).not.toBe(state);
  });

  it("keeps 256 questions and gives up the oldest first", () => {
    const { questions } = opened();
    const states = Array.from({ length: 257 }, () => questions.open(SCOPE, SHOWN));
    expect(questions.take(states[0]!, SCOPE)).toBeUndefined();
    expect(questions.take(states[1]!, SCOPE)).toEqual(SHOWN);
    expect(questions.take(states[256]!, SCOPE)).toEqual(SHOWN);
  });
});
