import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, Entrypoint } from "../../src/policy/engine.ts";
import { createInstance } from "../../src/policy/instance.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { buildBundle, closeBuilds, decisionOf, unpack } from "../policy/support/build.ts";

/** More than any instance survives: they break for good after 1,024 to 4,096 throws (reference/opa-wasm.md §3). */
const MANY = 5000;
const RULES = decisionOf(
  '{"allow": ok, "reasons": [], "effect": "none", "confirm": "none"}',
  `default ok := false
ok if input.command == "good"
text := "a" if input.conflict
text := "b" if input.conflict
ok if text == "c"
ok if count(regex.find_n(input.pattern, "abc", -1)) == 99`,
);
const GOOD = { command: "good" };
let bundle: Uint8Array;
let engine: Engine;

beforeAll(async () => {
  bundle = await buildBundle(RULES);
  engine = await loadEngine(bundle);
}, 180_000);
afterAll(closeBuilds);

const deep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => ({ inner }), 1);

describe("no number of failing calls changes a later decision", () => {
  const kinds: readonly (readonly [string, (round: number) => unknown])[] = [
    ["lone surrogates", (round) => ({ command: `x\ud800${round}` })],
    ["lone surrogates in keys", (round) => ({ command: { [`\udfff${round}`]: 1 } })],
    ["nesting of 10,000", () => ({ command: deep })],
    ["NaN", () => ({ command: Number.NaN })],
    ["2^53 + 1", () => ({ command: JSON.parse("9007199254740993") as unknown })],
    ["50 MB", () => ({ command: LARGE })],
    ["inputs that are no objects", (round) => [null, [], "x", 1, undefined][round % 5]],
    ["conflicts, which abort the policy", () => ({ conflict: true })],
    ["builtins that abort", () => ({ pattern: "(".repeat(300) })],
  ];
  const LARGE = "x".repeat(50 * 1024 * 1024);

  it.each(kinds)("%s", (_kind, input) => {
    for (let round = 0; round < MANY; round += 1) {
      if (engine.decide(input(round)).reasons[0]?.code !== "policy.error") throw new Error(`round ${round} was decided`);
    }
    expect([engine.decide(GOOD).allow, engine.decide({ command: "bad" }).allow, engine.decide(GOOD).allow]).toEqual([true, false, true]);
  });

  it("entrypoints that do not exist", () => {
    for (let round = 0; round < MANY; round += 1) engine.decide(GOOD, `gate/${round}` as Entrypoint);
    expect(engine.decide(GOOD).allow).toBe(true);
  });

  it("keys that mean something in JavaScript, which are decided like any other", () => {
    const input = JSON.parse('{"__proto__":{"command":"good"},"constructor":{"prototype":{"command":"good"}},"toString":"x"}') as unknown;
    for (let round = 0; round < MANY; round += 1) {
      if (engine.decide(input).allow) throw new Error("allowed");
      if (!engine.decide({ ...(input as object), command: "good" }).allow) throw new Error("denied");
    }
    expect(engine.decide(GOOD).allow).toBe(true);
  });

  it("is needed: an instance that is kept after throws breaks for good", () => {
    const module = new WebAssembly.Module(unpack(bundle).get("policy.wasm") as Uint8Array<ArrayBuffer>);
    const instance = createInstance({ module, data: Buffer.from("{}"), memory: { initial: 8, maximum: 64 } });
    for (let round = 0; round < MANY; round += 1) expect(() => instance.evaluate(0, '{"command":"\\ud800"}')).toThrow(/./);
    expect(() => instance.evaluate(0, JSON.stringify(GOOD))).toThrow("memory access out of bounds");
  });
});
