import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/call/json.ts";
import type { Decision } from "../../src/policy/decision.ts";
import { loadEngine } from "../../src/policy/load.ts";
import type { CorridorOptions } from "../../src/server/core.ts";
import type { CallRequest } from "../../src/server/corridor-types.ts";
import type { RetryQuestion } from "../../src/server/retry.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { ALLOW, codeOf, counted, DENY, engineOf, openCorridor, removeFolders, wordOf } from "./support.ts";

afterEach(removeFolders);

const ELICIT: Decision = { ...ALLOW, confirm: "elicit" };
const YES: JsonObject = { confirm: { action: "accept", content: { confirm: true } } };

/** A corridor whose client repeats its calls with the human's answer. */
function withRetries(options: Partial<CorridorOptions> & { decide?: (input: JsonObject) => Decision } = {}) {
  const opened = openCorridor({ decide: () => ELICIT, ...options });
  opened.corridor.setClient({ elicitation: true });
  const asked: RetryQuestion[] = [];
  const ask = (question: RetryQuestion): void => void asked.push(question);
  const call = (request: CallRequest, retry: { state?: string; responses?: JsonObject } = {}) =>
    opened.corridor.call({ ...request, retry: { ...retry, ask } }).then(codeOf);
  /** Repeats with the latest state. */
  const answer = (request: CallRequest, responses: JsonObject = YES) => call(request, { state: asked.at(-1)?.state ?? "", responses });
  return { ...opened, asked, call, answer };
}

describe("a call that is repeated with the human's answer", () => {
  it("ends with the question, and runs when it comes back", async () => {
    const { call, answer, asked, events } = withRetries();
    const { request, state } = counted("drop", { table: "t" });
    expect(await call(request)).toBe("confirm.pending");
    expect([state.runs, asked.length]).toEqual([0, 1]);
    expect(await answer(request)).toBe("ok");
    expect(state.runs).toBe(1);
    expect(events().map(wordOf)).toEqual(["confirm.pending", "admitted", "ok"]);
  });

  it("is judged anew as a whole: policy may have changed its mind", async () => {
    let decision = ELICIT;
    const { call, answer } = withRetries({ decide: () => decision });
    const { request, state } = counted("drop");
    for (const [changed, code] of [
      [DENY, "policy.denied"],
      [{ ...ALLOW, confirm: "block" }, "confirm.blocked"],
    ] as const) {
      decision = ELICIT;
      await call(request);
      decision = changed;
      expect(await answer(request)).toBe(code);
    }
    expect(state.runs).toBe(0);
  });

  it("is refused after a no even when policy no longer asks", async () => {
    let decision = ELICIT;
    const { call, answer } = withRetries({ decide: () => decision });
    const { request, state } = counted("drop");
    await call(request);
    decision = ALLOW;
    expect(await answer(request, { confirm: { action: "decline" } })).toBe("confirm.declined");
    expect(state.runs).toBe(0);
  });

  it("is refused when another profile is active than the one that was shown, re-armed or not", async () => {
    let label = "Erika";
    const { call, answer, identity } = withRetries({ activeProfile: () => label });
    const { request, state } = counted("drop");
    await call(request);
    identity.rearm();
    expect(await answer(request)).toBe("confirm.stale");
    await call(request);
    label = "Erik";
    expect(await answer(request)).toBe("confirm.stale");
    expect(state.runs).toBe(0);
  });

  it("asks nobody when the client cannot show forms, and not about a call that could not run", async () => {
    const { corridor, call, asked } = withRetries();
    expect(await call({ tool: "nowhere", arguments: {}, path: "direct" })).toBe("unknown_tool");
    corridor.setClient({ elicitation: false });
    expect(await call(counted("drop").request)).toBe("confirm.no_channel");
    expect(asked).toEqual([]);
  });

  it("applies the effect of a switch at each of both, and lets reads count again afterwards", async () => {
    const decide = ({ command }: JsonObject): Decision =>
      command === "switch" ? { ...ELICIT, effect: "rearm" } : { ...ALLOW, effect: "record_identity_read" };
    const { call, answer, identity, corridor } = withRetries({ decide });
    const { request, state } = counted("switch");
    await call(request);
    expect(identity.epoch).toBe(1);
    expect(await answer(request)).toBe("ok");
    expect([identity.epoch, state.runs]).toEqual([2, 1]);
    await corridor.call(counted("read").request);
    expect(identity.identityConfirmed).toBe(true);
  });

  it("is not asked about by a tool that hands on to others: the inner call asks for itself", async () => {
    const registry = createRegistry([
      {
        name: "execute",
        title: "Execute",
        description: "Hands on.",
        input: z.strictObject({}),
        output: z.looseObject({}),
        passesOn: true,
        timeoutMs: 1_000,
        handler: () => Promise.resolve({ structured: {}, passed: { content: [] } }),
      },
    ]);
    const { call, asked } = withRetries({ registry });
    expect(await call({ tool: "execute", arguments: {}, path: "direct" })).toBe("confirm.no_channel");
    expect(asked).toEqual([]);
  });
});

describe("a destructive command under the default bundle", () => {
  const ELEVATION = { role: "human-approved-agent", reason: "cleaning up", tools: ["run_shell"] };

  it.each([
    ["covered by an elevation, is confirmed by the human", ELEVATION, "confirm.pending"],
    ["under an elevation for another tool, is denied", { ...ELEVATION, tools: ["eval_starlark"] }, "policy.denied"],
    ["without an elevation, is denied", undefined, "policy.denied"],
  ])("%s", async (_what, elevation, code) => {
    const bundle = await loadEngine("default");
    const decide = (input: JsonObject): Decision => bundle.decide(elevation === undefined ? input : { ...input, elevation });
    const { call, answer, identity, asked } = withRetries({ engine: engineOf(decide) });
    identity.recordIdentityRead();
    const { request, state } = counted("run_shell", { command: "rm -rf build" });
    expect(await call(request)).toBe(code);
    expect(state.runs).toBe(0);
    if (code === "confirm.pending") expect(await answer(request)).toBe("ok");
    expect([state.runs, asked.length]).toEqual(code === "confirm.pending" ? [1, 1] : [0, 0]);
    expect(await call(counted("run_shell", { command: "rm -rf build", dry_run: true }).request)).toBe("ok");
    bundle.close();
  });
});
