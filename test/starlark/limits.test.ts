import { describe, expect, it } from "vitest";
import { evaluate, endOf, NO_CALLS, sharedEngine, SLOW } from "./kit.ts";

const STEPS = "Starlark computation cancelled: too many steps";
const BOMB = 'x = ["a" * (1 << 20) for i in range(100000)]';
const nested = (depth: number): string => `x = ${"(".repeat(depth)}1${")".repeat(depth)}`;

const ordinary = sharedEngine();
const short = sharedEngine({ timeMs: 2_000, steps: 10_000_000 });
const long = sharedEngine({ steps: 10_000_000 });

describe("an error names the limit, and the next script runs", SLOW, () => {
  it.each([
    ["source of 64 KiB and one byte", ordinary, "#".repeat(65_537), "source is too large"],
    ["the same in characters of two bytes", ordinary, `#${"é".repeat(32_768)}`, "source is too large"],
    ["2,000 nested parentheses", ordinary, nested(2_000), "nesting is too deep"],
    ["201 nested parentheses", ordinary, nested(201), "nesting is too deep"],
    ["30,000 unary operators", ordinary, `x = ${"-".repeat(30_000)}1`, "nesting is too deep"],
    ["9,000 nested functions", ordinary, `x = ${"lambda:".repeat(9_000)}1`, "nesting is too deep"],
    ["an endless loop", ordinary, "for i in range(1 << 40): pass", STEPS],
    ["10^6 prints", ordinary, "for i in range(1000000): print(i)", STEPS],
    ["endless recursion", ordinary, "def f(n): return f(n + 1)\nf(0)", "script.star:1:18: function f called recursively"],
    ["a list of strings of 1 MiB", ordinary, BOMB, "out of memory"],
    ["a list of 3,000,000 numbers", ordinary, "x = list(range(3000000))", "out of memory"],
    ["sorting 2,000,000 numbers", ordinary, "x = sorted(range(2000000))", "out of memory"],
    ["replacing each letter of a long text by the text", ordinary, 'a = "a" * 1000000\nx = a.replace("a", a)', "out of memory"],
    ["a string of 1 GiB", ordinary, 'x = "a" * (1 << 29) + "b" * (1 << 29)', "out of memory"],
    ["a repetition beyond 2^30", ordinary, 'x = "a" * (1 << 40)', "script.star:1:9: repeat count 1099511627776 too large"],
    ["a shift beyond 511", ordinary, "x = 1 << 512", "script.star:1:7: shift count too large: 512"],
    ["100 MB of prints in long texts, kept within their cap", ordinary, '_t = "a" * 100000\nfor i in range(1000): print(_t)', { i: 999 }],
    ["repeated squaring", short, "x = 3\nfor i in range(40): x = x * x", "time limit exceeded"],
    ["a list 200,000 deep", long, "x = []\nfor i in range(200000): x = [x]", "nesting is too deep"],
    ["JSON 100,000 deep", long, 'x = json.decode("[" * 100000)', /^(?:out of memory|nesting is too deep)$/],
    ["a result 21 deep", ordinary, "x = 1\nfor i in range(21): x = [x]", "result is nested too deep: `x`"],
    ["a result that holds itself", ordinary, "x = []\nx.append({1: x})", "result is nested in itself: `x`"],
    ["a result of 10,001 values", ordinary, "x = [0] * 10001", "result is too large: `x`"],
    ["a result of 64 KiB and more", ordinary, 'x = "a" * 65536', "result is too large: `x`"],
    ["a result that is large by sharing", ordinary, "x = [0]\nfor i in range(18): x = [x, x]", "result is too large: `x`"],
    ["a result with a huge integer", ordinary, "x = 3\nfor i in range(18): x = x * x", "result is too large: `x`"],
    ["a result in many bindings", ordinary, 't = "a" * 30000\na = t\nb = t', "result is too large: `t`"],
  ])("%s", async (_name, engine, source, end) => {
    const found = await endOf(evaluate(engine, source));
    if (end instanceof RegExp) expect(found).toMatch(end);
    else if (typeof end === "string") expect(found).toBe(end);
    else expect(found).toMatchObject(end);
    expect(await endOf(evaluate(engine, "x = 1"))).toEqual({ x: 1 });
  });

  it("what is within them is not refused", async () => {
    const ok = await Promise.all(
      [
        nested(200),
        "x = 1 #".padEnd(65_536, "x"),
        `x = ${"1 + ".repeat(10_000)}1`,
        "x = 1\nfor i in range(19): x = [x]",
        "x = [0] * 9000",
      ].map((source) => endOf(evaluate(ordinary, source))),
    );
    expect(ok.map((end) => typeof end)).toEqual(Array.from({ length: 5 }, () => "object"));
  });
});

describe("printed text", SLOW, () => {
  const small = sharedEngine({ outputBytes: 10 });
  it.each([
    ["that fits", 'print("12345678")', "12345678\n", false],
    ["whose last newline does not fit", 'print("1234567890")', "1234567890", true],
    ["in pieces", 'print("1234")\nprint("5678")\nprint("9")', "1234\n5678\n", true],
    ["cut inside a character", 'print("12345678é€")', "12345678é", true],
    ["after the cut", 'print("12345678901")\nprint("")', "1234567890", true],
  ])("%s", async (_name, source, output, truncated) => {
    expect(await evaluate(small, source)).toMatchObject({ output, truncated });
  });
});

describe("an aborted evaluation", SLOW, () => {
  it.each([
    ["before it begins", true],
    ["while it runs", false],
  ])("ends %s with the signal's reason", async (_name, before) => {
    const stop = new AbortController();
    if (before) stop.abort(new Error("stopped"));
    const work = endOf(long.evaluate({ source: "x = 3\nfor i in range(40): x = x * x", call: NO_CALLS, signal: stop.signal }));
    if (!before) setTimeout(() => stop.abort(new Error("stopped")), 20);
    expect(await work).toBe("stopped");
    expect(await endOf(evaluate(long, "x = 1"))).toEqual({ x: 1 });
  });
});
