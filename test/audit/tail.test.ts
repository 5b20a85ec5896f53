import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readTail } from "../../src/audit/tail.ts";
import { temporaryFolder } from "./kit.ts";

const CAP = 1_000_000;

function fileOf(content: string): string {
  const file = join(temporaryFolder(), "log.jsonl");
  writeFileSync(file, content);
  return file;
}

describe("readTail", () => {
  const lines = Array.from({ length: 1000 }, (_, at) => `{"n":${at},"kind":"${at % 2 === 0 ? "Even" : "odd"}","pad":"${"é".repeat(200)}"}`);
  const file = (): string => fileOf(`${lines.join("\n")}\n`);

  test("the newest lines, oldest first, across chunk borders", async () => {
    expect(await readTail({ file: file(), limit: 400, maxBytes: CAP })).toEqual({ lines: lines.slice(-400), truncated: false });
    expect(await readTail({ file: file(), limit: 10_000, maxBytes: CAP })).toEqual({ lines, truncated: false });
  });

  test("only lines that hold the filter, letter by letter and plain", async () => {
    const even = await readTail({ file: file(), limit: 3, filter: "Even", maxBytes: CAP });
    expect(even.lines).toEqual([lines[994], lines[996], lines[998]]);
    expect((await readTail({ file: file(), limit: 3, filter: "even", maxBytes: CAP })).lines).toEqual([]);
    expect((await readTail({ file: file(), limit: 3, filter: "E.en", maxBytes: CAP })).lines).toEqual([]);
  });

  test("no file and an empty file have no lines; a folder is an error", async () => {
    const folder = temporaryFolder();
    expect(await readTail({ file: join(folder, "none"), limit: 5, maxBytes: CAP })).toEqual({ lines: [], truncated: false });
    expect(await readTail({ file: fileOf(""), limit: 5, maxBytes: CAP })).toEqual({ lines: [], truncated: false });
    mkdirSync(join(folder, "dir"));
    await expect(readTail({ file: join(folder, "dir"), limit: 5, maxBytes: CAP })).rejects.toThrow(Error);
  });

  test("a last line that is not whole is not a line", async () => {
    const open = fileOf("a\nb\n");
    appendFileSync(open, '{"half');
    expect((await readTail({ file: open, limit: 5, maxBytes: CAP })).lines).toEqual(["a", "b"]);
  });

  test("only line feeds end lines (trial M07)", async () => {
    expect((await readTail({ file: fileOf("a\u2028b\u0085c\rd\ne\n"), limit: 5, maxBytes: CAP })).lines).toEqual([
      "a\u2028b\u0085c\rd",
      "e",
    ]);
  });

  test("at most `maxBytes`, the newest; a line that is longer alone is left out, older ones are not", async () => {
    expect(await readTail({ file: fileOf("aaaa\nbbbb\ncccc\n"), limit: 5, maxBytes: 10 })).toEqual({
      lines: ["bbbb", "cccc"],
      truncated: true,
    });
    const long = "x".repeat(300_000);
    expect(await readTail({ file: fileOf(`a\n${long}\nb\n`), limit: 5, maxBytes: 1000 })).toEqual({ lines: ["a", "b"], truncated: true });
    expect(await readTail({ file: fileOf(`a\n${long}\nb\n`), limit: 1, maxBytes: 1000 })).toEqual({ lines: ["b"], truncated: false });
  });
});
