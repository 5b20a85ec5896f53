import { afterAll, expect, it } from "vitest";
import * as fc from "fast-check";
import { openStarlark } from "../../src/starlark/engine.ts";
import { STARLARK_FAULTS, StarlarkError } from "../../src/starlark/starlark-error.ts";

// Whatever the source is, an evaluation ends soon with bindings, an error at a place in the script, or a limit in fixed words.

const engine = openStarlark({ limits: { steps: 100_000, timeMs: 5_000, memoryMb: 64, outputBytes: 1_000 } });
afterAll(() => engine.close());

const FIXED: ReadonlySet<string> = new Set([...Object.values(STARLARK_FAULTS), "Starlark computation cancelled: too many steps"]);
const PLACED = /^script\.star:\d+:\d+: /;
const LIMITED = /^result is (?:too large|nested too deep|nested in itself): `/;

const TOKENS = [
  ...Array.from("()[]{}:,.=+-*/%|&<>\n\\ \"'#"),
  "\n  ",
  "def f():",
  "for x in ",
  "if ",
  "else ",
  "lambda ",
  "not ",
  "in ",
  "return ",
  "x",
  "y",
  "1",
  "2.5",
  "1 << 200",
  "print",
  "tool",
  "json.decode",
  "range",
  "str",
  "sorted",
  "*",
  "**",
  '"""',
  "b'\\xff'",
  "1e400",
  "pass",
  "fail(",
  "\ufeff",
  "é",
  "\u2028",
  "\0",
];

const sources = fc.oneof(
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 60 }).map((tokens) => tokens.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .tuple(fc.constantFrom("(", "[", "{", "-", "not ", "lambda:", "1 if 1 else ", "f(", "x.", "[[", "x[", "if x:\n "), fc.nat(4_000))
    .map(([part, times]) => `x = ${part.repeat(times)}`.slice(0, 66_000)),
);

it("every source ends in bindings or in words that are ours", { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(sources, async (source) => {
      try {
        const { result } = await engine.evaluate({ source, call: () => Promise.resolve(null) });
        expect(typeof result).toBe("object");
      } catch (error) {
        expect(error).toBeInstanceOf(StarlarkError);
        const { message } = error as StarlarkError;
        expect(message).not.toBe(STARLARK_FAULTS.engine);
        expect(FIXED.has(message) || PLACED.test(message) || LIMITED.test(message), message).toBe(true);
      }
    }),
    { numRuns: 150 },
  );
});
