import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../src/audit/canonical.ts";
import type { JsonValue } from "../../src/call/json.ts";

describe("RFC 8785 (trial E04)", () => {
  test("the example of section 3.2.3: order, strings and numbers", () => {
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000_000_000_000_000_000_000_000_001],
      string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("keys in UTF-16 order, as section 3.2.3 sorts them", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
    expect(canonicalJson({ "\ue000": 1, "\u{1f600}": 2 })).toBe('{"😀":2,"\ue000":1}');
  });

  test("keys that JavaScript puts in numeric order", () => {
    expect(canonicalJson({ "10": 1, "2": 2, "1": 3, "01": 4, a: 5 })).toBe('{"01":4,"1":3,"10":1,"2":2,"a":5}');
  });

  test.each<[number, string]>([
    [1, "1"], [-0, "0"], [1e21, "1e+21"], [1e20, "100000000000000000000"], [1e-7, "1e-7"], [0.000_001, "0.000001"], [1e30, "1e+30"], [5e-324, "5e-324"],
    [1.797_693_134_862_315_7e308, "1.7976931348623157e+308"], [9_007_199_254_740_992, "9007199254740992"], [295_147_905_179_352_830_000, "295147905179352830000"],
  ])("number %d is %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  }); // prettier-ignore

  test.each<[string, unknown]>([
    ["NaN", Number.NaN], ["an infinity", [1, Number.POSITIVE_INFINITY]], ["a lone high surrogate", "\ud800"], ["a lone low surrogate", { a: "x\udc00y" }],
    ["a lone surrogate in a key", { "\ud83d": 1 }], ["undefined", { a: undefined }], ["a bigint", 1n], ["a function", [(): void => undefined]],
  ])("%s is refused", (_name, value) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(Error);
  }); // prettier-ignore

  test("`__proto__` and `toJSON` are ordinary keys", () => {
    expect(canonicalJson(JSON.parse('{"toJSON":1,"__proto__":{"b":1,"a":2}}') as JsonValue)).toBe('{"__proto__":{"a":2,"b":1},"toJSON":1}');
  });
});

test("any JSON value has the text that the `canonicalize` package gives it, and reads back the same", () => {
  const keys = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "constructor", "10", "2", "é", "a"));
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: "binary" }),
      fc.array(tie("value"), { maxLength: 5 }),
      fc.dictionary(keys, tie("value"), { maxKeys: 30 }),
    ),
  }));
  fc.assert(
    fc.property(value, (any) => {
      const text = canonicalJson(any);
      expect(text).toBe(canonicalize(any));
      expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
    }),
    { numRuns: 2000 },
  );
}, 60_000);
