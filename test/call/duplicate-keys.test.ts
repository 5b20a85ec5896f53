import { describe, expect, it } from "vitest";
import { parseJsonOnce } from "../../src/call/duplicate-keys.ts";

const once: readonly (readonly [string, string])[] = [
  ["an object", '{"a":1,"b":{"a":2}}'],
  ["equal keys in different objects", '[{"a":1},{"a":1}]'],
  ["colons and quotes inside strings", String.raw`{"a:\":":"x\\\":y","b":"\\"}`],
  ["a colon after an escaped quote", String.raw`{"a":"\":"}`],
  ["a string that ends in an escaped backslash", String.raw`{"a\\":1,"b":"c:\\"}`],
  ["__proto__ and constructor", '{"__proto__":{"x":1},"constructor":2}'],
  ["a scalar", "3"],
  ["null", "null"],
  ["a string with a colon", '":"'],
  ["blanks around colons", '{ "a" \n:\t1 }'],
];

const refused: readonly (readonly [string, string, string])[] = [
  ["two equal keys", '{"a":1,"a":1}', "has an object with two equal keys"],
  ["two equal keys deep inside", '{"x":[{"y":{"a":1,"b":2,"a":3}}]}', "has an object with two equal keys"],
  ["equal keys of which one is escaped", String.raw`{"a":1,"\u0061":2}`, "has an object with two equal keys"],
  ["two __proto__ keys", '{"__proto__":1,"__proto__":2}', "has an object with two equal keys"],
  ["nothing", "", "is not JSON"],
  ["a byte order mark", "\uFEFF{}", "is not JSON"],
  ["NaN", '{"a":NaN}', "is not JSON"],
  ["a trailing comma", '{"a":1,}', "is not JSON"],
  ["two documents", "{} {}", "is not JSON"],
];

describe("parseJsonOnce", () => {
  it.each(once)("reads %s as JSON.parse does", (_name, text) => {
    expect(parseJsonOnce(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });
  it.each(refused)("refuses %s", (_name, text, problem) => {
    expect(parseJsonOnce(text)).toMatchObject({ ok: false, problem });
  });
  it("stands a nesting deeper than the stack", () => {
    const text = `${'{"a":['.repeat(50_000)}${"]}".repeat(50_000)}`;
    expect(parseJsonOnce(text).ok).toBe(true);
  });
});
