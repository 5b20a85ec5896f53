import { describe, expect, it } from "vitest";
import { frozenCopy } from "../../src/call/frozen-copy.ts";

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = { in: value };
  return value;
}

describe("frozenCopy", () => {
  it("freezes every level of a copy and leaves the caller's object alone", () => {
    const given = { a: { b: [1, { c: "x" }] } };
    const copy = frozenCopy(given);
    expect(copy).toEqual({ ok: true, value: { a: { b: [1, { c: "x" }] } } });
    if (!copy.ok) return;
    given.a.b.push(2);
    expect(copy.value).toEqual({ a: { b: [1, { c: "x" }] } });
    expect(() => ((copy.value["a"] as { b: unknown }).b = 0)).toThrow(TypeError);
    expect(() => ((copy.value["a"] as { b: unknown[] }).b[0] = 0)).toThrow(TypeError);
    expect(Object.isFrozen(given)).toBe(false);
  });

  it("keeps `__proto__` and `constructor` as plain data", () => {
    const copy = frozenCopy(JSON.parse('{"__proto__": {"dry_run": true}, "constructor": 1, "toString": 2}'));
    expect(copy.ok && Object.keys(copy.value)).toEqual(["__proto__", "constructor", "toString"]);
    expect(copy.ok && copy.value["dry_run"]).toBeUndefined();
    expect(copy.ok && Object.getPrototypeOf(copy.value)).toBe(Object.prototype);
  });

  it("reads every getter once", () => {
    let reads = 0;
    const given = {
      get command() {
        reads += 1;
        return reads === 1 ? "echo" : "rm -rf /";
      },
    };
    expect(frozenCopy(given)).toEqual({ ok: true, value: { command: "echo" } });
    expect(reads).toBe(1);
  });

  it("leaves out undefined properties and writes -0 as JSON does", () => {
    const copy = frozenCopy({ a: undefined, b: -0 });
    expect(copy.ok && Object.keys(copy.value)).toEqual(["b"]);
    expect(copy.ok && Object.is(copy.value["b"], 0)).toBe(true);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const hostile: [string, unknown, "malformed" | "too_large"][] = [
    ["a lone high surrogate", { a: "x\ud800" }, "malformed"],
    ["a lone low surrogate", { a: "\udc00x" }, "malformed"],
    ["a lone surrogate in a key", { "\ud800": 1 }, "malformed"],
    ["NaN", { a: Number.NaN }, "malformed"],
    ["infinity", { a: [Number.POSITIVE_INFINITY] }, "malformed"],
    ["2^53 + 1", { a: 2 ** 53 + 2 }, "malformed"],
    ["a huge double", { a: 1e300 }, "malformed"],
    ["a bigint", { a: 1n }, "malformed"],
    ["a function", { a: () => 1 }, "malformed"],
    ["a symbol", { a: Symbol("a") }, "malformed"],
    ["a date", { a: new Date(0) }, "malformed"],
    ["a map", { a: new Map() }, "malformed"],
    ["a hole", { a: Array.from({ length: 2 }) }, "malformed"],
    ["an array", [], "malformed"],
    ["null", null, "malformed"],
    ["a string", "x", "malformed"],
    [
      "a getter that throws",
      {
        get a() {
          throw new Error("no");
        },
      },
      "malformed",
    ],
    ["a cycle", cyclic, "malformed"],
    ["depth 10,000", nested(10_000), "malformed"],
    ["5 MB of text", { a: "x".repeat(5 * 1024 * 1024) }, "too_large"],
    ["5 million values", { a: Array.from({ length: 5_000_000 }).fill(0) }, "too_large"],
  ];
  it.each(hostile)("refuses %s", (_, value, problem) => {
    expect(frozenCopy(value)).toEqual({ ok: false, problem });
  });

  const inside: [string, unknown][] = [
    ["depth 30", nested(30)],
    ["a string of 100,000 characters", { a: "x".repeat(100_000) }],
    ["safe integers", { a: 2 ** 53 - 1, b: -(2 ** 53 - 1), c: 1e-7 }],
    ["paired surrogates", { "\ud83d\ude00": "\ud83d\ude00" }],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
  ];
  it.each(inside)("accepts %s", (_, value) => {
    expect(frozenCopy(value).ok).toBe(true);
  });
});
