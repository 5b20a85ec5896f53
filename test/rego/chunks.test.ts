import { describe, expect, it } from "vitest";
import { chunksOf } from "../../src/rego/chunks.ts";

const sizes = (inputs: readonly string[]): readonly number[] => [...chunksOf(inputs)].map((lines) => lines.length);

describe("chunksOf", () => {
  it("cuts at a thousand lines and at eight million characters", () => {
    expect(sizes([])).toEqual([]);
    expect(sizes(["{}"])).toEqual([1]);
    expect(sizes(Array.from({ length: 2500 }, () => "{}"))).toEqual([1000, 1000, 500]);
    const large = `"${"x".repeat(3_000_000)}"`;
    expect(sizes([large, large, large, "{}"])).toEqual([2, 2]);
    expect(sizes([large.repeat(4), "{}"])).toEqual([1, 1]);
  });

  it("keeps every input on one line, in order", () => {
    expect([...chunksOf(['{\n"a":\r\n1}', "2"])]).toEqual([['{ "a":  1}', "2"]]);
  });
});
