import { PassThrough, Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { answerLines, type Document, MAX_DOCUMENT_BYTES, readDocument, readWhole } from "../../src/cli/json-input.ts";

function show(document: Document): string {
  return document.ok ? JSON.stringify(document.value) : document.problem;
}

async function answers(chunks: readonly Uint8Array[]): Promise<readonly string[]> {
  const output = new PassThrough();
  const text: Buffer[] = [];
  output.on("data", (chunk: Buffer) => text.push(chunk));
  await answerLines({ input: Readable.from(chunks), output }, show);
  const all = Buffer.concat(text).toString();
  expect(all === "" || all.endsWith("\n")).toBe(true);
  return all.split("\n").slice(0, -1);
}

const bytes = (text: string): Buffer => Buffer.from(text);

const LINES: readonly (readonly [string, readonly Uint8Array[], readonly string[]])[] = [
  ["nothing", [], []],
  ["one line", [bytes('{"a":1}\n')], ['{"a":1}']],
  ["a last line without LF", [bytes("1\n2")], ["1", "2"]],
  ["an empty line", [bytes("1\n\n2\n")], ["1", "is not JSON", "2"]],
  ["an empty first line", [bytes("\n")], ["is not JSON"]],
  ["a line of blanks", [bytes("  \n")], ["is not JSON"]],
  ["CRLF", [bytes("1\r\n2\r\n")], ["1", "2"]],
  ["a lone CR ends no line", [bytes("1\r2\n")], ["is not JSON"]],
  ["U+2028 and U+0085 end no line", [bytes('"\u2028\u0085"\n')], ['"\u2028\u0085"']],
  ["a character cut by a chunk border", [bytes('"é"\n').subarray(0, 2), bytes('"é"\n').subarray(2)], ['"é"']],
  ["bytes that are not UTF-8", [Uint8Array.of(0x22, 0xff, 0x22, 0x0a), bytes("1\n")], ["is not UTF-8 text", "1"]],
  ["a byte order mark", [bytes("\ufeff{}\n")], ["is not JSON"]],
  ["two equal keys", [bytes('{"a":1,"a":1}\n')], ["has an object with two equal keys"]],
  [
    "a number beyond doubles",
    [bytes("9007199254740993\n1e400\n1e2\n")],
    ["has a number that no double can hold", "has a number that no double can hold", "100"],
  ],
  ["NaN", [bytes("NaN\n")], ["is not JSON"]],
  ["two documents on a line", [bytes("{}{}\n")], ["is not JSON"]],
];

describe("answerLines", () => {
  it.each(LINES)("%s", async (_name, chunks, expected) => {
    expect(await answers(chunks)).toEqual(expected);
  });
  it("answers an over-long line once and goes on", async () => {
    const part = Buffer.alloc(1024 * 1024, "x");
    const chunks = [...Array.from({ length: MAX_DOCUMENT_BYTES / part.length + 1 }, () => part), bytes("\n1\n")];
    expect(await answers(chunks)).toEqual([`is larger than ${MAX_DOCUMENT_BYTES} bytes`, "1"]);
  });
  it("reads no further while the answers are not taken", async () => {
    let read = 0;
    const input = new Readable({
      read() {
        read += 1;
        this.push(read > 50 ? null : bytes("1\n"));
      },
      highWaterMark: 1,
    });
    const held: (() => void)[] = [];
    let lines = 0;
    let open = false;
    const output = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        lines += chunk.toString().split("\n").length - 1;
        if (open) done();
        else held.push(done);
      },
    });
    const done = answerLines({ input, output }, show);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(held).toHaveLength(1);
    expect(read).toBeLessThan(10);
    open = true;
    held[0]?.();
    await done;
    expect(lines).toBe(50);
  });
  it("rejects when the reader is gone", async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error("gone"), { code: "EPIPE" })) });
    output.on("error", () => undefined);
    await expect(answerLines({ input: Readable.from([bytes("1\n")]), output }, show)).rejects.toThrow("gone");
  });
});

describe("readWhole", () => {
  it("takes a document of several lines", async () => {
    expect(await readWhole(Readable.from([bytes('{"a":\n'), bytes("1}\n")]))).toEqual({ ok: true, value: { a: 1 } });
  });
  it("says what is wrong with no bytes at all", async () => {
    expect(await readWhole(Readable.from([]))).toEqual({ ok: false, problem: "is not JSON" });
  });
  it("keeps __proto__ an ordinary key", () => {
    const document = readDocument(bytes('{"__proto__":{"allow":true}}'));
    expect(document.ok && JSON.stringify(document.value)).toBe('{"__proto__":{"allow":true}}');
  });
});
