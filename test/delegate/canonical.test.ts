import { describe, expect, it } from "vitest";
import { canonicalText, MAX_LENGTH } from "../../src/delegate/canonical.ts";

const refused: readonly (readonly [string, () => unknown])[] = [
  ["NaN", () => NaN],
  ["Infinity", () => Infinity],
  ["-Infinity", () => ({ a: -Infinity })],
  ["undefined", () => ({ a: undefined })],
  ["undefined in a list", () => [undefined]],
  ["a function", () => ({ a: () => 1 })],
  ["a symbol", () => [Symbol("x")]],
  ["a symbol as key", () => ({ [Symbol("x")]: 1 })],
  ["an unsafe integer", () => Number("12345678901234567890")],
  ["a BigInt", () => 1n],
  ["a lone surrogate", () => "a\ud800"],
  ["a lone surrogate as key", () => ({ "\udc00": 1 })],
  ["a Date", () => new Date(0)],
  ["a Map", () => new Map()],
  ["an Error", () => new Error("x")],
  ["a promise", () => Promise.resolve(1)],
  ["a typed array", () => new Uint8Array(1)],
  ["a boxed string", () => Object("x")],
  ["a boxed number", () => Object(1)],
  ["a class instance", () => new URLSearchParams()],
  ["an object with toJSON", () => ({ toJSON: () => 1 })],
  ["a sparse list", () => Array(3)],
  ["a list with a key", () => Object.assign([1], { more: 1 })],
  ["a getter", () => Object.defineProperty({}, "a", { get: () => 1, enumerable: true })],
  ["a hidden property", () => Object.defineProperty({}, "a", { value: 1 })],
];

describe("canonical text", () => {
  it.each(refused)("refuses %s", (_name, make) => {
    expect(() => canonicalText(make())).toThrow(expect.objectContaining({ code: "not_canonical" }));
  });

  it("sorts keys by UTF-16 code unit, integer-like ones too", () => {
    expect(canonicalText({ b: 1, a: [true, null], 10: 0, 9: 0 })).toBe('{"10":0,"9":0,"a":[true,null],"b":1}');
    expect(canonicalText({ "\ue000": 1, "\ud83d\ude00": 2 })).toBe('{"\ud83d\ude00":2,"\ue000":1}');
  });

  it("writes -0 as 0, fractions as they are, and normalises no accents", () => {
    expect(canonicalText([-0, 1.5, 1e-7])).toBe("[0,1.5,1e-7]");
    expect(canonicalText("é")).not.toBe(canonicalText("e\u0301"));
  });

  it("keeps an own `__proto__` apart from nothing, and other pairs that must not collide", () => {
    const pairs: [unknown, unknown][] = [
      [JSON.parse('{"__proto__":{"a":1}}'), {}],
      [1, "1"],
      [[], {}],
      [{ a: null }, {}],
      [{ constructor: 1 }, {}],
    ];
    for (const [a, b] of pairs) expect(canonicalText(a)).not.toBe(canonicalText(b));
  });

  it("takes objects without a prototype, and one object twice", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(canonicalText([bare, bare])).toBe('[{"a":1},{"a":1}]');
  });

  const nested = (depth: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  };

  it("has a limit of depth that is no stack overflow", () => {
    expect(canonicalText(nested(20))).toContain("1");
    for (const depth of [65, 20_000]) {
      expect(() => canonicalText(nested(depth))).toThrow(expect.objectContaining({ code: "not_canonical" }));
    }
    const ring: unknown[] = [];
    ring.push(ring);
    expect(() => canonicalText(ring)).toThrow(expect.objectContaining({ code: "not_canonical" }));
  });

  it("has a limit of size", () => {
    expect(() => canonicalText("x".repeat(MAX_LENGTH))).toThrow(expect.objectContaining({ code: "not_canonical" }));
  });
});
