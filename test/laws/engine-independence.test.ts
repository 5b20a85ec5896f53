import { anything, array, assert, constant, constantFrom, oneof, property, record, string } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInstance, type PolicyImage, type PolicyInstance } from "../../src/policy/instance.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { buildBundle, closeBuilds, decisionOf, unpack } from "../policy/support/build.ts";

/** Native and host builtins that hand strings to and fro; trials W05 saw the tail of an earlier string there. */
const RULES = decisionOf(
  `{
  "printed": sprintf("%s|%v|%q", [input.command, input.command, input.command]),
  "found": regex.find_n("[a-z]+-?", input.command, -1),
  "replaced": regex.replace(input.command, "(a)(b)?", "$2"),
  "native": [lower(input.command), split(input.command, "-"), trim(input.command, "a"), substring(input.command, 1, 3)],
  "tests": [startswith(input.command, "re"), contains(input.command, "b"), input.command in {"b", "probe"}],
  "hash": crypto.sha256(input.command),
}`,
);
let image: PolicyImage;
let reused: PolicyInstance;

beforeAll(async () => {
  const files = unpack(await buildBundle(RULES));
  image = {
    module: new WebAssembly.Module(files.get("policy.wasm") as Uint8Array<ArrayBuffer>),
    data: Buffer.from("{}"),
    memory: { initial: 8, maximum: 512 },
  };
  reused = createInstance(image);
}, 180_000);
afterAll(closeBuilds);

const word = oneof(
  string({ unit: "grapheme", maxLength: 200 }),
  constantFrom("", "a", "b", "regex-probe-aaaaaaaaaaaaaaaaaaaa", "é".repeat(500), "-", "\0", '"\\'),
);
const textOf = (command: string) => JSON.stringify({ command });

describe("a decision depends on its input and its bundle only", () => {
  it("the second evaluation of an instance equals that of a fresh one (trials W05)", () => {
    assert(
      property(word, word, (first, second) => {
        reused.evaluate(0, textOf(first));
        expect(reused.evaluate(0, textOf(second))).toBe(createInstance(image).evaluate(0, textOf(second)));
      }),
      { numRuns: 1500 },
    );
  });

  it("long after short, short after long, and after memory has grown", () => {
    const fresh = (text: string) => createInstance(image).evaluate(0, text);
    const before = reused.memoryBytes();
    for (const size of [1, 60_000, 2, 30_000, 3])
      expect(reused.evaluate(0, textOf("ab-".repeat(size)))).toBe(fresh(textOf("ab-".repeat(size))));
    expect(reused.memoryBytes()).toBeGreaterThan(before);
    expect(reused.evaluate(0, textOf("b"))).toBe(fresh(textOf("b")));
  });

  it("an engine answers the same whatever it was asked before", async () => {
    const [asked, fresh] = [await loadEngine("default"), await loadEngine("default")];
    const call = record(
      {
        command: constantFrom("whoami", "run_shell", "execute", "x"),
        session_id: constantFrom("s", ""),
        agent: record({ id: constantFrom("a", ""), session_id: constant("s") }),
      },
      { requiredKeys: [] },
    );
    assert(
      property(array(oneof(call, anything()), { maxLength: 8 }), call, (before, input) => {
        for (const one of before) asked.decide(one);
        expect(asked.decide(input)).toEqual(fresh.decide(input));
      }),
      { numRuns: 3000 },
    );
  });
});
