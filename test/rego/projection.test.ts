import { array, constantFrom, dictionary, letrec, oneof, sample } from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../src/rego/json.ts";
import type { JsonObject, JsonValue } from "../../src/rego/json.ts";
import { findUses } from "../../src/rego/read-paths.ts";
import type { InputPath } from "../../src/rego/read-paths.ts";
import { FORMS } from "./read-paths-forms.ts";
import { sharedToolchain, SLOW, valueOf } from "./support.ts";

const toolchain = sharedToolchain();

/** The least that a projection may keep: the values at the paths, and nothing where there is none. */
function project(input: JsonObject, paths: readonly InputPath[]): JsonObject {
  const kept: JsonObject = {};
  for (const path of paths) {
    if (path.length === 0) return input;
    const value = path.reduce<JsonValue | undefined>(
      (at, key) => (isJsonObject(at ?? null) && Object.hasOwn(at as JsonObject, key) ? (at as JsonObject)[key] : undefined),
      input,
    );
    if (value === undefined) continue;
    let at = kept;
    for (const key of path.slice(0, -1)) {
      if (!Object.hasOwn(at, key)) Object.defineProperty(at, key, { value: {}, enumerable: true, configurable: true, writable: true });
      at = at[key] as JsonObject;
    }
    Object.defineProperty(at, path.at(-1) as string, { value, enumerable: true, configurable: true, writable: true });
  }
  return kept;
}

// The keys of the forms, so that inputs hit and miss them.
const KEYS = [
  "a",
  "b",
  "c",
  "x",
  "y",
  "id",
  "agent",
  "list",
  "xs",
  "map",
  "low",
  "limit",
  "name",
  "prefix",
  "pair",
  "v",
  "ks",
  "vs",
  "other",
  "user",
  "who",
  "k",
  "__proto__",
  "constructor",
  "a b",
  "0",
];
const inputs = sample(
  dictionary(
    constantFrom(...KEYS),
    letrec<{ value: JsonValue }>((tie) => ({
      value: oneof(
        { maxDepth: 3, depthIdentifier: "json" },
        constantFrom<JsonValue>(null, true, false, 0, 1, 2, "", "x", "root", "a"),
        array(tie("value"), { maxLength: 3 }),
        dictionary(constantFrom(...KEYS), tie("value"), { maxKeys: 4 }),
      ),
    })).value,
    { maxKeys: 8 },
  ),
  { numRuns: 300, seed: 20_260_101 },
) as JsonObject[];

describe("the input paths are enough", () => {
  it.each(FORMS)("%s", SLOW, async (...[, rules, , imports = ""]) => {
    const files = new Map([["a.rego", `package a\n${imports}\n${rules}\n`]]);
    const trees = valueOf(await toolchain.parse({ files, compiled: true, locations: true }));
    const { inputPaths } = findUses(trees.values(), new Set());
    const prepared = valueOf(await toolchain.prepare({ files, query: "data.a" }));
    const whole = valueOf(
      await toolchain.many(
        prepared,
        inputs.map((input) => JSON.stringify(input)),
      ),
    );
    const projected = valueOf(
      await toolchain.many(
        prepared,
        inputs.map((input) => JSON.stringify(project(input, inputPaths))),
      ),
    );
    expect(projected).toEqual(whole);
    await toolchain.release(prepared);
  });

  it("is a law that can fail: without a path that is read, answers differ", SLOW, async () => {
    const prepared = valueOf(await toolchain.prepare({ files: new Map([["a.rego", "package a\n\np if input.a"]]), query: "data.a" }));
    const texts = (paths: readonly InputPath[]): readonly string[] => inputs.map((input) => JSON.stringify(project(input, paths)));
    const whole = valueOf(await toolchain.many(prepared, texts([[]])));
    expect(valueOf(await toolchain.many(prepared, texts([["a"]])))).toEqual(whole);
    expect(valueOf(await toolchain.many(prepared, texts([["b"]])))).not.toEqual(whole);
  });
});
