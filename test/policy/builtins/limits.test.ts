import { describe, expect, it } from "vitest";
import { HOST_BUILTINS } from "../../../src/policy/builtins/registry.ts";
import { BuiltinLimit, number, type RegoValue } from "../../../src/policy/builtins/values.ts";

const call = (name: string, ...operands: RegoValue[]) => HOST_BUILTINS.get(name)?.call(...operands);

describe("limits of host builtins abort, because undefined could let a denial slip", () => {
  const hostile: readonly (readonly [string, readonly RegoValue[]])[] = [
    ["regex.find_n", ["(a*)*b".repeat(2000), "a", number(-1)]],
    ["regex.find_n", [`${"(".repeat(300)}a${")".repeat(300)}`, "a", number(-1)]],
    ["regex.find_n", ["b{1000}".repeat(40), "a", number(-1)]],
    ["regex.find_n", ["(?:a?){500}(?:a?){500}", "a".repeat(60_000), number(-1)]],
    ["regex.find_n", ["\\p{latin}", "a", number(-1)]],
    ["regex.replace", ["a".repeat(50_000), "a*?b|a", "x"]],
    ["numbers.range_step", [number(0), number(10n ** 12n), number(1)]],
    ["units.parse", ["1e999999"]],
    ["units.parse_bytes", ["1e-999999"]],
    ["time.clock", [[number(0), "Local"]]],
    ["time.add_date", [number(0), number(10n ** 10n), number(0), number(0)]],
    ["sprintf", ["%p", [number(10n ** 30n)]]],
    ["sprintf", ["%9999999d%9999999d", [number(1), number(2)]]],
    ["sprintf", ["%x", [{ kind: "number", text: "1.5" }]]],
  ];
  it.each(hostile)("%s of a hostile operand", (name, operands) => {
    expect(() => call(name, ...operands)).toThrow(BuiltinLimit);
  });

  it("matches patterns in linear time that make a backtracking engine hang", () => {
    const text = "a".repeat(5000);
    expect(call("regex.find_n", "(a+)+$", `${text}!`, number(-1))).toEqual([]);
    expect(call("regex.replace", `${text}!`, "^(a|aa)+$", "x")).toBe(`${text}!`);
    expect(call("regex.find_n", "(?:a|a)*", text, number(1))).toEqual([text]);
  });

  it("does not have what RE2 does not have", () => {
    for (const pattern of ["(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(a)\\1", "a++", "\\C", "(?>a)", "(?P=n)"]) {
      expect(call("regex.find_n", pattern, "aa", number(-1)), pattern).toBeUndefined();
    }
  });
});
