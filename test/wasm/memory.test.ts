import { describe, expect, it } from "vitest";
import { limitMemory } from "../../src/wasm/memory.ts";

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const TYPES = [1, 4, 1, 0x60, 0, 0];
const IMPORTED = [2, 8, 1, 1, 0x65, 1, 0x6d, 2, 0, 1];

const memory = (...body: number[]): number[] => [5, body.length, ...body];
const module = (...sections: number[][]): Uint8Array<ArrayBuffer> => Uint8Array.from([...HEADER, ...sections.flat()]);

describe("limitMemory", () => {
  it("gives the memory a maximum and leaves every other byte alone", () => {
    expect([...limitMemory(module(TYPES, memory(1, 0, 3), [7, 1, 0]), 1024)]).toEqual([
      ...module(TYPES, [5, 5, 1, 1, 3, 0x80, 0x08], [7, 1, 0]),
    ]);
  });

  it("makes a module whose memory does not grow past it", () => {
    const exported = [7, 5, 1, 1, 0x6d, 2, 0];
    const limited = limitMemory(module(memory(1, 0, 3), exported), 5);
    expect(WebAssembly.validate(limited)).toBe(true);
    const { m } = new WebAssembly.Instance(new WebAssembly.Module(limited)).exports as { m: WebAssembly.Memory };
    expect(m.grow(2)).toBe(3);
    expect(() => m.grow(1)).toThrow(RangeError);
  });

  it.each([
    ["a larger one is lowered", memory(1, 1, 3, 0x80, 0x10), [1, 1, 3, 9]],
    ["a smaller one stays", memory(1, 1, 3, 5), [1, 1, 3, 5]],
  ])("of a maximum that is there, %s", (_name, section, body) => {
    expect([...limitMemory(module(section), 9)]).toEqual([...module(memory(...body))]);
  });

  it.each([
    ["no memory section", module(TYPES), "module: expected one memory section"],
    ["an imported memory", module(IMPORTED), "module: expected one memory section"],
    ["two memory sections", module(memory(1, 0, 3), memory(1, 0, 3)), "module: expected one memory section"],
    ["two memories", module(memory(2, 0, 3, 0, 3)), "module: expected one plain memory"],
    ["no memory in the section", module(memory(0)), "module: expected one plain memory"],
    ["a shared memory", module(memory(1, 3, 3, 5)), "module: expected one plain memory"],
    ["a 64-bit memory", module(memory(1, 4, 3)), "module: expected one plain memory"],
    ["a minimum above it", module(memory(1, 0, 10)), "module: needs 10 pages, more than the maximum of 9"],
    ["something behind the limits", module(memory(1, 0, 3, 3)), "module: malformed memory section"],
    ["a number that never ends", module(memory(1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0)), "module: malformed number"],
    ["a section longer than the module", module([5, 9, 1, 0, 3]), "module: malformed section"],
  ])("refuses %s", (_name, bytes, message) => {
    expect(() => limitMemory(bytes, 9)).toThrow(message);
  });
});
