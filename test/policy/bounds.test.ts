import { describe, expect, it } from "vitest";
import { BoundsError, serialise } from "../../src/policy/bounds.ts";

/** An array or object nested `depth` levels deep. */
function nested(depth: number, wrap: (inner: unknown) => unknown = (inner) => [inner]): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

class Point {
  readonly x = 1;
}

describe("serialise", () => {
  const same: readonly (readonly [string, unknown])[] = [
    [
      "scalars",
      {
        a: null,
        b: true,
        c: false,
        d: "",
        e: 0,
        f: -1,
        g: 1.5,
        h: 1e-7,
        i: Number.MAX_SAFE_INTEGER,
        j: Number.MIN_SAFE_INTEGER,
        k: 5e-324,
      },
    ],
    ["nesting of 30", nested(30)],
    ["objects nested 30 deep", nested(30, (inner) => ({ inner }))],
    ["nesting of 64, the limit", nested(64)],
    ["a string of 100,000 characters", { command: "é".repeat(100_000) }],
    ["astral characters, controls and quotes", { "😀": '\u0000\u001f"\\\u007f\u2028\u2029\ud83d\ude00/' }],
    ["a long string with a quote", { text: `${"x".repeat(300)}"` }],
    [
      "keys that mean something in JavaScript",
      JSON.parse('{"__proto__":{"a":1},"constructor":"c","toString":[],"hasOwnProperty":null,"toJSON":"t","length":2}'),
    ],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 })],
    ["99,998 values in an array", { a: Array.from({ length: 99_998 }).fill(7) }],
    ["empty ones", { a: {}, b: [], "": "" }],
  ];
  it.each(same)("writes %s as JSON.stringify does", (_what, value) => {
    expect(serialise(value)).toBe(JSON.stringify(value));
  });

  it("writes -0 as 0, which is the same number in JSON", () => {
    expect(serialise({ a: -0 })).toBe('{"a":0}');
  });

  const refused: readonly (readonly [string, unknown, string])[] = [
    ["NaN", { a: Number.NaN }, "input has a number that is not finite"],
    ["Infinity", { a: [Infinity] }, "input has a number that is not finite"],
    ["2^53", { a: 2 ** 53 }, "input has an integer that is not exact"],
    ["2^53 + 1 as JSON.parse reads it", JSON.parse('{"a":9007199254740993}'), "input has an integer that is not exact"],
    ["-2^53", { a: -(2 ** 53) }, "input has an integer that is not exact"],
    ["1e300", { a: 1e300 }, "input has an integer that is not exact"],
    ["a BigInt", { a: 1n }, "input has a value of type bigint"],
    ["undefined", { a: undefined }, "input has a value of type undefined"],
    ["a function", { a: () => 1 }, "input has a value of type function"],
    ["a toJSON method", { a: { toJSON: () => "x" } }, "input has a value of type function"],
    ["a symbol", { a: Symbol("s") }, "input has a value of type symbol"],
    ["a symbol as a key", { a: { [Symbol("s")]: 1 } }, "input has a symbol as a key"],
    ["a hole in an array", { a: Array.from({ length: 3 }).fill(1, 0, 2) }, "input has a value of type undefined"],
    ["a sparse array of 4 billion", { a: Object.assign([], { length: 4_000_000_000 }) }, "input has too many values"],
    ["a high surrogate", { a: "x\ud800" }, "input has a string that is not well-formed Unicode"],
    ["a low surrogate", { a: "\udc00x" }, "input has a string that is not well-formed Unicode"],
    ["a surrogate in a key", { "\ud800": 1 }, "input has a string that is not well-formed Unicode"],
    ["a surrogate in a long string", { a: `${"x".repeat(100_000)}\ud800` }, "input has a string that is not well-formed Unicode"],
    ["nesting of 65", nested(65), "input is nested too deeply"],
    ["nesting of 10,000", nested(10_000), "input is nested too deeply"],
    ["objects nested 10,000 deep", nested(10_000, (inner) => ({ inner })), "input is nested too deeply"],
    ["a cycle", cyclic(), "input is nested too deeply"],
    ["a string of 50 MB", { a: "x".repeat(50_000_000) }, "input is too large"],
    ["an array of 10 million", { a: Array.from({ length: 10_000_000 }).fill(0) }, "input has too many values"],
    ["many keys", Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key ${index}`, index])), "input has too many values"],
    ["many small arrays", { a: Array.from({ length: 50_000 }, () => [1]) }, "input has too many values"],
    ["characters of three bytes", { a: "€".repeat(1_500_000) }, "input is too large"],
    [
      "a getter",
      {
        get a() {
          return 1;
        },
      },
      "input has an accessor",
    ],
    ["a getter in an array", { a: Object.defineProperty([1], 0, { get: () => 1 }) }, "input has an accessor"],
    ["a date", { a: new Date(0) }, "input has an object that is not plain"],
    ["a map", { a: new Map([["b", 1]]) }, "input has an object that is not plain"],
    ["an instance of a class", { a: new Point() }, "input has an object that is not plain"],
    ["a boxed string", { a: Object("x") as unknown }, "input has an object that is not plain"],
    ["bytes", { a: new Uint8Array([1]) }, "input has an object that is not plain"],
    ["an object with an inherited field", Object.create({ a: 1 }) as unknown, "input has an object that is not plain"],
  ];
  it.each(refused)("refuses %s", (_what, value, message) => {
    expect(() => serialise(value)).toThrow(new BoundsError(message));
  });

  it("never calls code of the value", () => {
    let calls = 0;
    const count = () => {
      calls += 1;
      return 1;
    };
    const hostile = Object.defineProperties({}, { a: { enumerable: true, get: count }, toJSON: { enumerable: true, value: count } });
    expect(() => serialise(hostile)).toThrow(BoundsError);
    expect(() => serialise({ b: { valueOf: count, toString: count } })).toThrow(BoundsError);
    expect(calls).toBe(0);
  });

  it("does not see what was put on Object.prototype", () => {
    // oxlint-disable-next-line no-extend-native -- pollution is what is tested
    Object.defineProperty(Object.prototype, "allow", { value: true, configurable: true, enumerable: true, writable: true });
    try {
      expect(serialise({ b: 1 })).toBe('{"b":1}');
    } finally {
      delete (Object.prototype as { allow?: boolean }).allow;
    }
  });
});
