import { describe, expect, test } from "vitest";
import { createLineSplitter } from "../../src/wire/framing.ts";

function split(chunks: readonly Uint8Array[], maxBytes = 100, end = true): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(maxBytes, {
    onLine: (line) => void lines.push(Buffer.from(line).toString("utf8")),
    onTooLong: () => void lines.push("<too long>"),
  });
  for (const chunk of chunks) splitter.push(chunk);
  if (end) splitter.end();
  return lines;
}

const text = (...chunks: string[]): Uint8Array[] => chunks.map((chunk) => Buffer.from(chunk));

describe("lines", () => {
  test.each([
    ["one line", text("a\n"), ["a"]],
    ["two in one chunk", text("a\nb\n"), ["a", "b"]],
    ["cut anywhere", text("a", "b\nc", "d", "\n"), ["ab", "cd"]],
    ["LF alone in a chunk", text("a", "\n", "b", "\n"), ["a", "b"]],
    ["empty lines", text("\n\na\n\n"), ["", "", "a", ""]],
    ["CR stays, alone and before LF", text("a\rb\r\n"), ["a\rb\r"]],
    ["U+2028, U+2029, U+0085, VT and FF stay", text("a\u2028b\u2029c\u0085d\ve\ff\n"), ["a\u2028b\u2029c\u0085d\ve\ff"]],
    ["NUL stays", text("a\0b\n"), ["a\0b"]],
    ["the end without LF is a line", text("a\nb"), ["a", "b"]],
    ["nothing", text(), []],
    ["empty chunks", text("", "a", "", "\n", ""), ["a"]],
  ])("%s", (_, chunks, lines) => {
    expect(split(chunks)).toEqual(lines);
  });

  test("without an end the last piece is not a line", () => {
    expect(split(text("a\nb"), 100, false)).toEqual(["a"]);
  });

  test("a character that is cut after each of its bytes comes out whole (M08)", () => {
    const emoji = Buffer.from('{"d":"😀"}\n');
    for (let at = 1; at < emoji.length; at += 1) {
      expect(split([emoji.subarray(0, at), emoji.subarray(at)])).toEqual(['{"d":"😀"}']);
    }
  });

  test("byte by byte", () => {
    const bytes = Buffer.from(`${"x".repeat(300)}\n${"y".repeat(300)}\n`);
    const chunks = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(split(chunks, 1_000)).toEqual(["x".repeat(300), "y".repeat(300)]);
  });
});

describe("too long", () => {
  test.each([
    ["at the limit", text(`${"a".repeat(100)}\n`), ["a".repeat(100)]],
    ["at the limit in pieces", text("a".repeat(60), `${"a".repeat(40)}\n`), ["a".repeat(100)]],
    ["one more", text(`${"a".repeat(101)}\nb\n`), ["<too long>", "b"]],
    ["one more in pieces", text("a".repeat(100), "a", "\nb\n"), ["<too long>", "b"]],
    ["much more, told once", text("a".repeat(150), "a".repeat(150), "a".repeat(150), "\nb\n"), ["<too long>", "b"]],
    ["twice", text("a".repeat(150), "\n", "a".repeat(150), "\n"), ["<too long>", "<too long>"]],
    ["at the end of the stream", text("b\n", "a".repeat(150)), ["b", "<too long>"]],
  ])("%s", (_, chunks, lines) => {
    expect(split(chunks)).toEqual(lines);
  });

  test("a line of 200 MB is not kept", () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x61);
    const splitter = createLineSplitter(4 * 1024 * 1024, { onLine: () => {}, onTooLong: () => {} });
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 200; i += 1) splitter.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
  });
});
