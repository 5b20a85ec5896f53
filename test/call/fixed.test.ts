import { describe, expect, it } from "vitest";
import { fix, fixedText, isKnownClean, noteClean } from "../../src/call/fixed.ts";

describe("fix", () => {
  it("freezes a value with everything in it, so that what was worked out stays true", () => {
    const value = fix({ a: { b: [1, { c: "x" }] } });
    expect([value, value.a, value.a.b, value.a.b[1]].every((part) => Object.isFrozen(part))).toBe(true);
    expect(fix(value)).toBe(value);
  });

  it("works a text out once, and never for a value that may change", () => {
    let made = 0;
    const write = (): string => `text ${(made += 1)}`;
    const value = fix({ a: 1 });
    expect([fixedText(value, write), fixedText(value, write)]).toEqual(["text 1", "text 1"]);
    expect(fixedText({ a: 1 }, write)).toBeUndefined();
    expect(fixedText(Object.freeze({ a: {} }), write)).toBeUndefined();
  });

  it("remembers as clean only what can never change", () => {
    const [kept, open] = [fix({ a: 1 }), { a: 1 }];
    for (const value of [kept, open]) noteClean(value);
    expect([isKnownClean(kept), isKnownClean(open)]).toEqual([true, false]);
  });
});
