import { describe, expect, it } from "vitest";
import { BundleError } from "../../src/policy/bundle-error.ts";
import { checkData } from "../../src/policy/bundle-data.ts";

const PACKAGES = [
  ["gate", "decision"],
  ["gate", "rules", "ai_agent", "allow"],
  ["lib", "compose", "members"],
];
const check = (text: string, packages: readonly (readonly string[])[] = PACKAGES) => checkData(Buffer.from(text), packages);

describe("checkData", () => {
  it("gives the document, deeply frozen", () => {
    const data = check('{"regate":{"a":[{"b":1}],"__proto__":{"c":2}}}');
    expect(JSON.stringify(data)).toBe('{"regate":{"a":[{"b":1}],"__proto__":{"c":2}}}');
    const list = (data["regate"] as { a: { b: number }[] }).a;
    expect([data, data["regate"], list, list[0]].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it("accepts a bundle without data", () => {
    expect(check("{}")).toEqual({});
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ["data that poses as a rule (trials W04)", '{"gate":{"rules":{"evil":{"allow":true}}}}', "data overlaps package gate.rules"],
    [
      "data that replaces a rule's result",
      '{"gate":{"rules":{"ai_agent":{"allow":true}}}}',
      "data overlaps package gate.rules.ai_agent.allow",
    ],
    ["data at the gate itself", '{"regate":{},"gate":{"decision":{"allow":true}}}', "data overlaps package gate.decision"],
    ["data at a package that is no object", '{"gate":1}', "data overlaps package gate"],
    ["data in a library", '{"lib":{"x":1}}', "data overlaps package lib"],
    ["another root", '{"regate":{},"extra":{}}', "data outside `regate`: `extra`"],
    ["a root in another letter case", '{"Regate":{}}', "data outside `regate`: `Regate`"],
    ["a key that JavaScript knows", '{"__proto__":{"regate":{}}}', "data outside `regate`: `__proto__`"],
    ["an array", "[]", "data.json is not an object"],
    ["null", "null", "data.json is not an object"],
    ["text after the document", "{} {}", "data.json is refused: data is not JSON"],
    ["nothing", "", "data.json is refused: data is not JSON"],
    ["two equal keys", '{"regate":{"a":1},"regate":{"b":1}}', "data.json is refused: data has an object with two equal keys"],
    ["two equal keys below", '{"regate":{"a":1,"\\u0061":2}}', "data.json is refused: data has an object with two equal keys"],
    ["a byte order mark", "\ufeff{}", "data.json is refused: data is not JSON"],
    ["a lone surrogate", '{"regate":"\\ud800"}', "data.json is refused: data has a string that is not well-formed Unicode"],
    ["a number that is not exact", '{"regate":9007199254740993}', "data.json is refused: data has an integer that is not exact"],
    ["a number out of range", '{"regate":1e999}', "data.json is refused: data has a number that is not finite"],
    ["deep nesting", `{"regate":${"[".repeat(70)}${"]".repeat(70)}}`, "data.json is refused: data is nested too deeply"],
  ];
  it.each(refused)("refuses %s", (_what, text, message) => {
    expect(() => check(text)).toThrow(new BundleError("bundle.data", message));
  });

  it("refuses data that is not UTF-8", () => {
    expect(() => checkData(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), PACKAGES)).toThrow("data is not JSON");
  });

  it("refuses a package that lies in the data's own root", () => {
    expect(() => check('{"regate":{"a":1}}', [["regate", "a", "allow"]])).toThrow("data overlaps package regate.a");
    expect(() => check('{"regate":{"b":1}}', [["regate", "a", "allow"]])).toThrow("data overlaps package regate");
  });
});
