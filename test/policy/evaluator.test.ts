import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inProcessEvaluator } from "../../src/policy/evaluator.ts";
import { createInstance, type PolicyImage } from "../../src/policy/instance.ts";
import { buildBundle, closeBuilds, decisionOf, unpack } from "./support/build.ts";

const SLOW = 180_000;
let image: PolicyImage;

beforeAll(async () => {
  const source = decisionOf(
    '{"n": count(all)}',
    'all contains [x, y] if { some x in input.list; some y in input.list }\nboom := "a" if input.boom\nboom := "b" if input.boom',
  );
  const files = unpack(await buildBundle({ ...source, rego: `${source.rego}also := boom\n`, entrypoints: ["gate/decision", "gate/also"] }));
  image = {
    module: new WebAssembly.Module(files.get("policy.wasm") as Uint8Array<ArrayBuffer>),
    data: Buffer.from("{}"),
    memory: { initial: 8, maximum: 512 },
  };
}, SLOW);
afterAll(closeBuilds);

const list = (length: number) => JSON.stringify({ list: Array.from({ length }, (_, index) => index) });

describe("inProcessEvaluator", { timeout: SLOW }, () => {
  it("makes a new instance after a throw, and only then", () => {
    const first = createInstance(image);
    let used = 0;
    const counted = { ...first, evaluate: (entrypoint: number, input: string) => ((used += 1), first.evaluate(entrypoint, input)) };
    const evaluator = inProcessEvaluator(image, counted);
    expect(evaluator.evaluate(0, list(2))).toBe('[{"result":{"n":4}}]');
    expect(evaluator.evaluate(0, list(3))).toBe('[{"result":{"n":9}}]');
    expect(used).toBe(2);
    expect(() => evaluator.evaluate(1, '{"boom":true}')).toThrow("policy aborted: policy.rego:5:1: var assignment conflict");
    expect(evaluator.evaluate(0, list(2))).toBe('[{"result":{"n":4}}]');
    expect(used).toBe(3);
  });

  it("fails when memory would grow beyond its maximum, and goes on (trials W07)", () => {
    const evaluator = inProcessEvaluator({ ...image, memory: { initial: 8, maximum: 64 } });
    expect(() => evaluator.evaluate(0, list(400))).toThrow("policy aborted: opa_malloc: failed");
    expect(evaluator.evaluate(0, list(2))).toBe('[{"result":{"n":4}}]');
    expect(() => evaluator.evaluate(0, JSON.stringify({ list: ["x".repeat(5 * 1024 * 1024)] }))).toThrow(RangeError);
    expect(evaluator.evaluate(0, list(2))).toBe('[{"result":{"n":4}}]');
  });

  it("does not keep an instance whose memory has grown large", () => {
    const first = createInstance(image);
    let used = 0;
    const counted = { ...first, evaluate: (entrypoint: number, input: string) => ((used += 1), first.evaluate(entrypoint, input)) };
    const evaluator = inProcessEvaluator(image, counted);
    evaluator.evaluate(0, list(300));
    const grown = first.memoryBytes();
    expect(grown).toBeGreaterThan(16 * 1024 * 1024);
    evaluator.evaluate(0, list(2));
    expect(used).toBe(1);
  });

  it("keeps memory flat over many calls", () => {
    const instance = createInstance(image);
    instance.evaluate(0, list(20));
    const before = instance.memoryBytes();
    for (let round = 0; round < 5000; round += 1) instance.evaluate(0, list(20));
    expect(instance.memoryBytes()).toBe(before);
  });

  it("refuses after close", () => {
    const evaluator = inProcessEvaluator(image);
    evaluator.close();
    expect(() => evaluator.evaluate(0, "{}")).toThrow("the engine is closed");
  });
});
