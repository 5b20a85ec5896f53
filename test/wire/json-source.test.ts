import { describe, expect, test } from "vitest";
import { isExactNumber, isShortestText } from "../../src/wire/json-number.ts";
import { parseJson, pathOf } from "../../src/wire/json-source.ts";

describe("exact numbers", () => {
  test.each([
    "0",
    "-0",
    "1",
    "-1",
    "1.0",
    "1.10",
    "0.1",
    "0.10",
    "1e2",
    "1E2",
    "1e+2",
    "1.5e3",
    "0.001e3",
    "100e-2",
    "-0.0",
    "0e99999",
    "0.000",
    "9007199254740991",
    "9007199254740992",
    "9007199254740994",
    "10000000000000000000",
    "1e21",
    "1e300",
    "5e-324",
    "1.7976931348623157e308",
    "123456789012345680000",
    "0.30000000000000004",
    "-12.50",
    "1000000000000000000000e-21",
    `1${"0".repeat(300)}e-300`,
    `0.${"0".repeat(300)}1e301`,
    "12345678901234567e3",
  ])("%s is exact", (text) => {
    expect(isExactNumber(text)).toBe(true);
  });

  test.each([
    "9007199254740993",
    "-9007199254740993",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1000000000000000055511151231257827",
    "12345678901234567890",
    "3.14159265358979323846",
    "4.9e-324",
    "1.79769313486231580e308",
    `0.${"3".repeat(40)}`,
    "1e99999999999999999999",
    "1e-99999999999999999999",
    "0.30000000000000004001",
    "123456789012345678",
    "9".repeat(400),
    "2.00000000000000000001",
  ])("%s is not", (text) => {
    expect(isExactNumber(text)).toBe(false);
  });

  test.each([
    ["0", true],
    ["-0", false],
    ["12", true],
    ["-12", true],
    ["1.0", false],
    ["1.5", true],
    ["1e2", false],
    ["1e21", false],
    ["1e+21", true],
    ["999999999999999", true],
    ["9999999999999999", false],
    ["1234567890123456", true],
    ["1e400", false],
  ])("%s is its double's shortest text: %s", (text, shortest) => {
    expect(isShortestText(text)).toBe(shortest);
  });
});

const numbersOf = (text: string): string[] =>
  parseJson(text).numbers.map(({ at, text, exact }) => `${pathOf(at).join("/")}=${text}${exact ? "" : "!"}`);
const duplicatesOf = (text: string): string[] => parseJson(text).duplicates.map((place) => pathOf(place).join("/"));

describe("source text", () => {
  test.each([
    ['{"a":1,"b":2.5,"c":-3,"d":"1.0","e":true,"f":null}', []],
    ['{"a":1.0}', ["a=1.0"]],
    ['{"a":{"b":[1,1.10,{"c":9007199254740993}]},"d":1e2}', ["a/b/1=1.10", "a/b/2/c=9007199254740993!", "d=1e2"]],
    ["[[],[0,-0],{},[1E5]]", ["1/1=-0", "3/0=1E5"]],
    ["1.0", ["=1.0"]],
    ['{"a,b":1.0,"c:d":[2.0],"e\\"f":3.0,"g\\\\":4.0}', ["a,b=1.0", "c:d/0=2.0", 'e"f=3.0', "g\\=4.0"]],
    ['{"s":"x 1.0 , [ { \\" 2.0 \\\\","n":3.0}', ["n=3.0"]],
    [' { "a" : [ 1.0 , 2 , 3.0 ] } ', ["a/0=1.0", "a/2=3.0"]],
    ['{"__proto__":1.0,"constructor":{"toString":2.0}}', ["__proto__=1.0", "constructor/toString=2.0"]],
  ])("%s", (text, numbers) => {
    expect(numbersOf(text)).toEqual(numbers);
  });
});

describe("duplicate keys", () => {
  test.each([
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":1}', ["a"]],
    ['{"a":1,"a":2,"a":3}', ["a", "a"]],
    ['{"x":{"a":1,"a":2}}', ["x/a"]],
    ['{"x":[{"a":1},{"a":1},{"a":1,"a":2}]}', ["x/2/a"]],
    ['{"a":1,"\\u0061":2}', ["a"]],
    ['{"\\u0061":1,"a":2}', ["a"]],
    ['{"a\\"":1,"a\\u0022":2}', ['a"']],
    ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
    ['{"__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":4}', []],
    ['{"":1,"":2}', [""]],
    ['{"a":{"a":{"a":1}},"b":{"a":1}}', []],
    ['{"a":"a","b":"a"}', []],
    ['{"a":["a","a","a"]}', []],
    ['{"a":{},"a":{}}', ["a"]],
    ['{"é":1,"e\u0301":2}', []],
    ['{"a":1,"A":2,"a ":3}', []],
    ['{"a":[{"b":{"c":1,"c":1}}],"z":1,"z":1}', ["a/0/b/c", "z"]],
  ])("%s", (text, duplicates) => {
    expect(duplicatesOf(text)).toEqual(duplicates);
  });
});

describe("depth", () => {
  test.each([
    ["1", 0],
    ["[]", 1],
    ["{}", 1],
    ['{"a":[{"b":[]}]}', 4],
    ["[[],[[]],[]]", 3],
    ['"[[[["', 0],
  ])("%s", (text, depth) => {
    expect(parseJson(text).depth).toBe(depth);
  });

  test("a million levels overflow nothing", () => {
    expect(parseJson("[".repeat(1_000_000) + "]".repeat(1_000_000)).depth).toBe(1_000_000);
    const objects = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect(parseJson(objects).depth).toBe(100_000);
  });
});

describe("not JSON", () => {
  test.each([
    "",
    " ",
    "{",
    "}",
    "[1,]",
    '{"a":1,}',
    "{a:1}",
    "{'a':1}",
    "NaN",
    "-NaN",
    "Infinity",
    "-Infinity",
    '{"a":NaN}',
    "01",
    "-",
    "1.",
    ".5",
    "+1",
    "1e",
    "0x10",
    "1_000",
    "undefined",
    "nul",
    "True",
    '"a',
    '"\t"',
    '"\\x"',
    '"\\u12"',
    "\ufeff{}",
    "\u00a01",
    "{}{}",
    "{} x",
    "// c\n1",
    '{"a":1 "b":2}',
    '{"a" 1}',
    "{1:1}",
    "[1 2]",
    "\v1",
    "1\u2028",
    "[",
    "]",
    '{"a":}',
    "--1",
    "1e1.5",
    "\u0000",
  ])("%j", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});

test("`__proto__` and its kind are own plain keys", () => {
  const { value } = parseJson('{"__proto__":{"polluted":true},"constructor":1,"toString":2}');
  expect(Object.keys(value as object)).toEqual(["__proto__", "constructor", "toString"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
