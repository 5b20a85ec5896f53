import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/call/json.ts";
import type { Decision } from "../../src/policy/decision.ts";
import type { Confirm, ConfirmOutcome, ConfirmRequest } from "../../src/server/confirm.ts";
import type { CorridorOptions } from "../../src/server/core.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { ALLOW, codeOf, counted, DENY, openCorridor, removeFolders, wordOf } from "./support.ts";

afterEach(removeFolders);

const ELICIT: Decision = { ...ALLOW, confirm: "elicit" };

/** A corridor with a human whose answers the test gives. */
function withHuman(options: Partial<CorridorOptions> & { decide?: (input: JsonObject) => Decision } = {}) {
  const questions: (ConfirmRequest & { answer: (outcome: ConfirmOutcome) => void })[] = [];
  const confirm: Confirm = (request) =>
    new Promise((resolve) => {
      questions.push({ ...request, answer: resolve });
    });
  const opened = openCorridor({ decide: ({ command }) => (command === "read" ? ALLOW : ELICIT), confirm, ...options });
  opened.corridor.setClient({ elicitation: true });
  return { ...opened, questions };
}

describe("a call that a human must confirm", () => {
  it("waits, lets others pass, and runs when the human agrees", async () => {
    const { corridor, questions, events, claim } = withHuman();
    const { request, state } = counted("drop", { table: "t" });
    const waiting = corridor.call(request);
    expect(codeOf(await corridor.call(counted("read").request))).toBe("ok");
    expect(state.runs).toBe(0);
    expect(questions[0]).toMatchObject({ call: { tool: "drop" }, decision: ELICIT, session: { claim } });
    questions[0]?.answer("accepted");
    expect(codeOf(await waiting)).toBe("ok");
    expect(state.runs).toBe(1);
    expect(events().map(wordOf)).toEqual(["confirm.pending", "admitted", "ok", "admitted", "ok"]);
  });

  it.each([
    ["declined", "confirm.declined"],
    ["cancelled", "confirm.cancelled"],
    ["no_answer", "confirm.no_answer"],
    ["malformed", "confirm.malformed"],
    ["no_channel", "confirm.no_channel"],
    ["accept", "confirm.malformed"],
  ] as const)("is refused with a code of its own when the answer is %s", async (outcome, code) => {
    const { corridor, questions, events } = withHuman();
    const { request, state } = counted("drop");
    const waiting = corridor.call(request);
    questions[0]?.answer(outcome as ConfirmOutcome);
    expect(codeOf(await waiting)).toBe(code);
    expect(state.runs).toBe(0);
    expect(events().map(({ custom }) => custom.regate.code)).toEqual(["confirm.pending", code]);
  });

  it("is refused when the profile was switched meanwhile", async () => {
    const decide = ({ command }: JsonObject): Decision => (command === "config_switch" ? { ...ALLOW, effect: "rearm" } : ELICIT);
    const { corridor, questions } = withHuman({ decide });
    const { request, state } = counted("drop");
    const waiting = corridor.call(request);
    await corridor.call(counted("config_switch").request);
    questions[0]?.answer("accepted");
    expect(codeOf(await waiting)).toBe("confirm.stale");
    expect(state.runs).toBe(0);
  });

  it("is put to policy again before it runs", async () => {
    let answers: Decision[] = [ELICIT, DENY];
    const decide = (): Decision => answers.shift() ?? DENY;
    const { corridor, questions } = withHuman({ decide });
    const { request, state } = counted("drop");
    const denied = corridor.call(request);
    questions[0]?.answer("accepted");
    expect(codeOf(await denied)).toBe("policy.denied");
    answers = [ELICIT, { ...ALLOW, confirm: "block" }];
    const blocked = corridor.call(request);
    questions[1]?.answer("accepted");
    expect(codeOf(await blocked)).toBe("confirm.blocked");
    expect(state.runs).toBe(0);
  });

  it("is refused when its arguments were changed meanwhile [P06]", async () => {
    const { corridor, questions } = withHuman();
    const args = { table: "t" };
    const { request, state } = counted("drop", args);
    const waiting = corridor.call({ ...request, arguments: args });
    args.table = "users";
    questions[0]?.answer("accepted");
    expect(codeOf(await waiting)).toBe("call.changed");
    expect(state.runs).toBe(0);
  });

  it("is withdrawn by the caller, and then the answer decides nothing", async () => {
    const { corridor, questions, events } = withHuman();
    const controller = new AbortController();
    const { request, state } = counted("drop", {}, { signal: controller.signal });
    const waiting = corridor.call(request);
    controller.abort();
    expect(questions[0]?.signal.aborted).toBe(true);
    questions[0]?.answer("accepted");
    expect(codeOf(await waiting)).toBe("call.cancelled");
    expect(state.runs).toBe(0);
    expect(events()[1]?.custom.regate.outcome).toMatchObject({ status: "cancelled" });
  });

  it("re-arms when it is a switch, whatever the human says", async () => {
    const { corridor, questions, identity } = withHuman({ decide: () => ({ ...ELICIT, effect: "rearm" }) });
    identity.recordIdentityRead();
    const waiting = corridor.call(counted("config_switch").request);
    expect(identity.view()).toMatchObject({ identity_confirmed: false, epoch: 1 });
    questions[0]?.answer("declined");
    expect(codeOf(await waiting)).toBe("confirm.declined");
    expect(identity.epoch).toBe(1);
  });

  it("does not keep later reads from confirming when it was a switch that came to nothing", async () => {
    const decide = ({ command }: JsonObject): Decision =>
      command === "config_switch" ? { ...ALLOW, confirm: "block", effect: "rearm" } : { ...ALLOW, effect: "record_identity_read" };
    const { corridor, identity } = withHuman({ decide });
    expect(codeOf(await corridor.call(counted("config_switch").request))).toBe("confirm.blocked");
    expect(identity.epoch).toBe(1);
    await corridor.call(counted("whoami").request);
    expect(identity.identityConfirmed).toBe(true);
  });

  it("forgets a read that was recorded while a switch waited for its confirmation", async () => {
    const decide = ({ command }: JsonObject): Decision =>
      command === "config_switch" ? { ...ELICIT, effect: "rearm" } : { ...ALLOW, effect: "record_identity_read" };
    const { corridor, questions, identity } = withHuman({ decide });
    const waiting = corridor.call(counted("config_switch").request);
    await corridor.call(counted("whoami").request);
    questions[0]?.answer("accepted");
    expect(codeOf(await waiting)).toBe("ok");
    expect(identity.identityConfirmed).toBe(false);
    await corridor.call(counted("whoami").request);
    expect(identity.identityConfirmed).toBe(true);
  });

  it("counts as one call, and as denied when the human refuses", async () => {
    const { corridor, questions, engine } = withHuman();
    const waiting = corridor.call(counted("drop").request);
    questions[0]?.answer("declined");
    await waiting;
    await corridor.call(counted("read").request);
    expect(engine.asked.at(-1)).toMatchObject({ usage: { calls: 1, denied: 1 } });
  });
});

describe("a human is not asked", () => {
  it("when the client cannot ask", async () => {
    const { corridor, questions } = withHuman();
    corridor.setClient({ elicitation: false });
    expect(codeOf(await corridor.call(counted("drop").request))).toBe("confirm.no_channel");
    expect(questions).toHaveLength(0);
  });

  it("about a call that could not run anyway", async () => {
    const tool = {
      name: "drop",
      title: "Drop",
      description: "drops",
      input: z.strictObject({ table: z.string() }),
      output: z.strictObject({}),
      timeoutMs: 1_000,
      handler: () => Promise.resolve({ structured: {} }),
    };
    const { corridor, questions } = withHuman({ registry: createRegistry([tool]) });
    expect(codeOf(await corridor.call({ tool: "drop", arguments: {}, path: "direct" }))).toBe("call.arguments_invalid");
    expect(await corridor.call({ tool: "nothing", arguments: {}, path: "direct" })).toEqual({ kind: "unknown_tool" });
    expect(questions).toHaveLength(0);
  });

  it("again for the same silence, while reads go on", async () => {
    const { corridor, questions } = withHuman({ confirmTimeoutMs: 1 });
    expect(codeOf(await corridor.call(counted("drop").request))).toBe("confirm.no_answer");
    expect(codeOf(await corridor.call(counted("drop").request))).toBe("confirm.no_answer");
    expect(codeOf(await corridor.call(counted("read").request))).toBe("ok");
    expect(questions).toHaveLength(1);
  });
});
