import { describe, expect, it } from "vitest";
import { BoundsError } from "../../src/policy/bounds.ts";
import { compileProjection } from "../../src/policy/projection.ts";

const project = (paths: readonly (readonly string[])[], input: unknown, bytes = 1_000_000) => compileProjection(paths, bytes)(input);

describe("compileProjection", () => {
  const rows: readonly (readonly [string, readonly (readonly string[])[], unknown, string])[] = [
    ["sends nothing when nothing is read", [], { a: 1 }, "{}"],
    ["sends the whole input for the empty path", [[], ["a"]], { b: [1] }, '{"b":[1]}'],
    ["sends what is read and nothing else", [["a"], ["c", "d"]], { a: 1, b: 2, c: { d: 3, e: 4 } }, '{"a":1,"c":{"d":3}}'],
    ["leaves out what is not there", [["a"], ["b", "c"]], {}, "{}"],
    ["goes on after what is not there", [["a"], ["b"]], { b: 1 }, '{"b":1}'],
    ["keeps null and false", [["a"], ["b"]], { a: null, b: false }, '{"a":null,"b":false}'],
    ["lets a path cover its subtree", [["a", "b"], ["a"]], { a: { b: 1, c: 2 } }, '{"a":{"b":1,"c":2}}'],
    ["keeps an object that has nothing of what is read", [["a", "b"]], { a: { c: 1 } }, '{"a":{}}'],
    ["sends a scalar whole where an object was expected", [["a", "b"]], { a: "x" }, '{"a":"x"}'],
    ["sends an array whole where an object was expected", [["a", "0"]], { a: [1, { b: 2 }] }, '{"a":[1,{"b":2}]}'],
    ["reads only own properties", [["constructor"], ["toString", "name"], ["__proto__"]], {}, "{}"],
    [
      "treats __proto__ as a key",
      [["__proto__"], ["constructor"]],
      JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
      '{"__proto__":{"a":1},"constructor":2}',
    ],
    ["quotes odd keys", [['a"b'], ["é\u0000"]], { 'a"b': 1, "é\u0000": 2 }, '{"a\\"b":1,"é\\u0000":2}'],
  ];
  it.each(rows)("%s", (_what, paths, input, text) => {
    expect(project(paths, input)).toBe(text);
  });

  it("does not look at what is not read", () => {
    const input = {
      a: 1,
      deep: Array.from({ length: 10_000 }).reduce<unknown>((inner) => [inner], 1),
      number: Number.NaN,
      text: "\ud800",
      get trap(): number {
        throw new Error("read");
      },
    };
    expect(project([["a"]], input)).toBe('{"a":1}');
  });

  const refused: readonly (readonly [string, readonly (readonly string[])[], unknown, string])[] = [
    ["an input that is null", [["a"]], null, "input is not an object"],
    ["an input that is an array", [["a"]], [], "input is not an object"],
    ["an input that is text", [["a"]], '{"a":1}', "input is not an object"],
    ["an input that is missing", [], undefined, "input is not an object"],
    ["bytes as input", [["a"]], new Uint8Array([123, 125]), "input has an object that is not plain"],
    ["a map as input", [["a"]], new Map([["a", 1]]), "input has an object that is not plain"],
    ["a surrogate in what is read", [["a", "b"]], { a: { b: "\udfff" } }, "input has a string that is not well-formed Unicode"],
    [
      "an accessor on the way",
      [["a", "b"]],
      {
        get a() {
          return { b: 1 };
        },
      },
      "input has an accessor",
    ],
    ["an object on the way that is not plain", [["a", "b"]], { a: new Date(0) }, "input has an object that is not plain"],
    ["undefined in what is read", [["a"]], { a: undefined }, "input has a value of type undefined"],
    [
      "nesting beyond the limit, counted from the root",
      [["a"]],
      { a: Array.from({ length: 64 }).reduce<unknown>((inner) => [inner], 1) },
      "input is nested too deeply",
    ],
  ];
  it.each(refused)("refuses %s", (_what, paths, input, message) => {
    expect(() => project(paths, input)).toThrow(new BoundsError(message));
  });

  it("counts bytes, not characters", () => {
    expect(project([["a"]], { a: "€€" }, 14)).toBe('{"a":"€€"}');
    expect(() => project([["a"]], { a: "€€" }, 13)).toThrow(new BoundsError("input is too large"));
  });
});
