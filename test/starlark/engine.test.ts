import { describe, expect, it } from "vitest";
import { endOf, evaluate, NO_CALLS, sharedEngine, SLOW } from "./kit.ts";

const engine = sharedEngine();

describe("a script", SLOW, () => {
  it("gives what it printed, its bindings and its steps", async () => {
    expect(await evaluate(engine, 'print("a", 1)\nprint("é")\nx = [1, 2]\nprint(x)')).toEqual({
      output: "a 1\né\n[1, 2]\n",
      result: { x: [1, 2] },
      shown: '{"x": [1, 2]}',
      steps: 19,
      truncated: false,
    });
  });

  it("gives the same again", async () => {
    const source = 'd = {k: hash(k) for k in ["b", "a"]}\ns = set(["y", "x"])\nprint(d, s, json.encode(d))';
    expect(await evaluate(engine, source)).toEqual(await evaluate(engine, source));
  });

  it("shares nothing with another", async () => {
    await evaluate(engine, "leak = 1");
    expect(await endOf(evaluate(engine, "x = leak"))).toBe("script.star:1:5: undefined: leak");
  });

  it("does not mix with others that run at the same time", async () => {
    const sources = Array.from({ length: 6 }, (_, index) => `for i in range(2000): print(${index})\nx = ${index}`);
    const done = await Promise.all(sources.map((source) => evaluate(engine, source)));
    expect(done.map(({ result }) => result)).toEqual([0, 1, 2, 3, 4, 5].map((x) => ({ x, i: 1999 })));
    expect(done.map(({ output }) => new Set(output.split("\n")).size)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  it("keeps printed text that is not UTF-8 out of the protocol", async () => {
    const { output, result } = await evaluate(engine, 'x = "é"[:1]\nprint(x)');
    expect(output).toBe("\ufffd\n");
    expect(result).toEqual({ x: "\ufffd" });
  });
});

describe("a binding becomes JSON", SLOW, () => {
  it.each([
    ["None", "x = None", null],
    ["a boolean", "x = True", true],
    ["an integer", "x = -9007199254740991", -9_007_199_254_740_991],
    ["an integer beyond 2^53, as digits", "x = 9007199254740992", "9007199254740992"],
    ["a large negative integer", "x = -(1 << 80)", "-1208925819614629174706176"],
    ["a float", "x = 2.5", 2.5],
    ["a float that is not finite, as Starlark writes it", 'x = [float("nan"), float("inf"), float("-inf")]', ["nan", "+inf", "-inf"]],
    ["a string", 'x = "<é&\\u2028>"', "<é&\u2028>"],
    ["bytes, as base64", 'x = b"\\xff\\x00a"', "/wBh"],
    ["a tuple", 'x = (1, ("a",))', [1, ["a"]]],
    ["a range", "x = range(1, 7, 2)", [1, 3, 5]],
    ["a set, sorted", "x = set([10, 9, 1])", [1, 9, 10]],
    ["a set of things that have no order", 'x = set(["b", 2, "a", 1])', [1, 2, "a", "b"]],
    ["a dict", 'x = {"b": 1, "a": {}}', { b: 1, a: {} }],
    [
      "a dict with other keys, as pairs",
      'x = {1: "a", "1": "b", (2,): None}',
      [
        [1, "a"],
        ["1", "b"],
        [[2], null],
      ],
    ],
    ["keys that JavaScript knows", 'x = {"constructor": 1, "toString": 2}', { constructor: 1, toString: 2 }],
  ])("%s", async (_name, source, value) => {
    expect(await endOf(evaluate(engine, source))).toEqual({ x: value });
  });

  it("under its own key, whatever that is", async () => {
    const { result } = await evaluate(engine, 'x = {"__proto__": {"polluted": 1}}');
    expect(JSON.stringify(result)).toBe('{"x":{"__proto__":{"polluted":1}}}');
  });

  it.each([
    ["private names", "_x = 1\n__y = 2"],
    ["functions", "def f(): pass\ng = lambda: 1\nh = len"],
    ["what holds a function", "def f(): pass\nx = [1, {'a': (f,)}]\ny = {f: 1}\nz = set([f])"],
    ["modules and the host function", "j = json\nt = tool"],
  ])("but not %s", async (_name, source) => {
    expect(await evaluate(engine, `a = 1\n${source}\nzz = 2`)).toMatchObject({ result: { a: 1, zz: 2 }, shown: '{"a": 1, "zz": 2}' });
  });
});

describe("the dialect", SLOW, () => {
  it.each([
    [
      "sets, loops and conditions at top level, reassignment",
      "x = set([1])\nfor i in [2, 3]:\n  if i > 2: x = set([i])\ny = list(x)",
      { i: 3, x: [3], y: [3] },
    ],
    ["json", 'x = json.decode(json.encode({"a": [1, 2.5, None]}))', { x: { a: [1, 2.5, null] } }],
    [
      "comprehensions, format, lambda",
      'x = ["%d-{}".format(i) % i for i in range(2) if (lambda a: a > 0)(i)]',
      { i: undefined, x: ["1-1"] },
    ],
    ["length in bytes", 'x = len("é")', { x: 2 }],
    ["no while", "while True: pass", "script.star:1:1: this Starlark dialect does not support while loops"],
    ["no recursion", "def f(n): return f(n + 1)\nf(0)", "script.star:1:18: function f called recursively"],
    ["no load", 'load("m", "x")', "script.star:1:1: load not implemented by this application"],
    ["no import", "import os", "script.star:1:1: got import, want primary expression"],
    ["no power operator", "x = 2 ** 3", "script.star:1:9: got '**', want newline"],
    ["no files, no clock", "x = [open, time]", "script.star:1:6: undefined: open"],
    [
      "no change of what is iterated",
      "x = [1]\nfor i in x: x.append(i)",
      "script.star:2:21: Error in append: append: cannot append to list during iteration",
    ],
    ["an error of the script with its place", "def f():\n  return 1 // 0\nx = f()", "script.star:2:12: floored division by zero"],
    ["an error that the script makes", 'fail("not", "today")', "script.star:1:5: Error in fail: fail: not today"],
    ["a syntax error", "x = (", "script.star:1:6: got end of file, want primary expression"],
    ["a NUL", "x = 1\0", "source must not hold a NUL"],
  ])("%s", async (_name, source, end) => {
    const found = await endOf(evaluate(engine, source));
    if (typeof end === "string") expect(found).toBe(end);
    else expect(found).toEqual(JSON.parse(JSON.stringify(end)));
  });

  it("cuts an error's text", async () => {
    const end = (await endOf(evaluate(engine, 'fail("é" * 100000)'))) as string;
    expect(Buffer.byteLength(end)).toBeLessThan(4_200);
    expect(end).toMatch(/^script\.star:1:5: Error in fail: fail: é+…$/);
  });
});

describe("closing", SLOW, () => {
  it("ends what runs, and nothing starts afterwards", async () => {
    const { openStarlark } = await import("../../src/starlark/engine.ts");
    const closing = openStarlark({ limits: { steps: 10_000_000, timeMs: 60_000, memoryMb: 64, outputBytes: 1 } });
    let called: () => void = () => undefined;
    const inCall = new Promise<void>((resolve) => (called = resolve));
    const running = endOf(
      closing.evaluate({
        source: 'tool("x")',
        call: (_request, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("gone")));
            called();
          }),
      }),
    );
    await inCall;
    await closing.close();
    expect(await running).toBe("the engine is closed");
    expect(await endOf(closing.evaluate({ source: "x = 1", call: NO_CALLS }))).toBe("the engine is closed");
  });
});
