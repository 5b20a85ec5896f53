import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { worstInputs, WORST_LINES } from "../../bench/worst-inputs.mjs";
import { createInstance } from "../../src/policy/instance.ts";
import { packagedFolder } from "../../src/policy/locate.ts";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { buildBundle, closeBuilds, decisionOf, unpack } from "./support/build.ts";
import { stepCounter, type StepCounter } from "./support/steps.ts";

const BUNDLES = ["agent-session", "ai-agent", "default", "identity-gate", "shell-commands", "tools-service"];
const SLOW = { timeout: 120_000 };

const jsonOf = (bundle: string, file: string): unknown => JSON.parse(readFileSync(join(packagedFolder(bundle), file), "utf8"));

type Manifest = Parameters<typeof worstInputs>[0] & { readonly entrypoints: readonly string[]; readonly host_builtins: readonly string[] };

const counterOf = (bundle: string): Promise<StepCounter> =>
  stepCounter(readFileSync(join(packagedFolder(bundle), "policy.wasm")), jsonOf(bundle, "data.json") as object);

/** Bytes of memory that an instance has after one evaluation; it grows by pages, and to grow takes longer than to evaluate. */
function memoryOf(bundle: string): (input: object) => number {
  const read = (file: string): Buffer<ArrayBuffer> => readFileSync(join(packagedFolder(bundle), file));
  const image = { module: new WebAssembly.Module(read("policy.wasm")), data: read("data.json"), memory: { initial: 8, maximum: 2048 } };
  return (input) => {
    const instance = createInstance(image);
    instance.evaluate(instance.entrypoints.get("gate/decision") ?? -1, JSON.stringify(input));
    return instance.memoryBytes();
  };
}

/** How much more the second doubling costs than the first: 2 when work grows with the input, 4 when it grows with its square. */
function growth(count: (n: number) => number, least = 5_000): number {
  const [small = 0, middle = 0, large = 0] = [1024, 2048, 4096].map(count);
  return (large - middle) / Math.max(middle - small, least);
}

describe.each(BUNDLES)("worst inputs of %s", (bundle) => {
  it("make work that grows no faster than they do, whichever value is large and whatever is asked", SLOW, async () => {
    const manifest = jsonOf(bundle, "manifest.json") as Manifest;
    // What a builtin of the host did would not be counted.
    expect(manifest.host_builtins).toEqual([]);
    const steps = await counterOf(bundle);
    const measured = manifest.entrypoints.flatMap((entrypoint) =>
      worstInputs(manifest).map(({ name, inputOf }) => ({
        name: `${entrypoint}, ${name}`,
        growth: growth((n) => steps(inputOf(n), entrypoint)),
      })),
    );
    expect(measured.filter(({ growth: found }) => !(found <= 2.5))).toEqual([]);
  });

  it("take memory that grows no faster than they do", SLOW, () => {
    const memory = memoryOf(bundle);
    const families = worstInputs(jsonOf(bundle, "manifest.json") as Manifest);
    const measured = families.map(({ name, inputOf }) => ({ name, growth: growth((n) => memory(inputOf(n)), 512 * 1024) }));
    expect(measured.filter(({ growth: found }) => !(found <= 2.5))).toEqual([]);
  });
});

it("a rule that compares everything with everything is found out", SLOW, async () => {
  const bundle = unpack(await buildBundle(decisionOf("count([1 | input.items[i] == input.items[j]; i != j])")));
  await closeBuilds();
  const [, module = new Uint8Array()] = [...bundle].find(([name]) => name.endsWith("policy.wasm")) ?? [];
  const steps = await stepCounter(module, {});
  const items = (n: number): object => ({ items: Array.from({ length: n / 16 }, (_, at) => at) });
  expect(growth((n) => steps(items(n)))).toBeGreaterThan(3.5);
});

describe("the longest command lines", () => {
  it.each(WORST_LINES)("$name: at most 12 million steps and 32 MiB", SLOW, async ({ line }) => {
    const { verifiable, commands, redirects } = analyseCommand(line);
    const input = { command: "run_shell", agent: { risk: "mutable" }, shell: { verifiable, commands, redirects } };
    expect((await counterOf("shell-commands"))(input)).toBeLessThan(12_000_000);
    expect(memoryOf("shell-commands")(input)).toBeLessThan(32 * 1024 * 1024);
  });
});
