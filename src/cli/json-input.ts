import { isUtf8 } from "node:buffer";
import type { Readable, Writable } from "node:stream";
import type { JsonValue } from "../call/json.ts";
import { createLineSplitter } from "../wire/framing.ts";
import { parseJson } from "../wire/json-source.ts";
import { write } from "./output.ts";

/** Longest document or line that is read; longer ones are read past and count as unreadable. Beyond every bound of the engine. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** One document that has one reading only, or what is wrong with it as a phrase that follows its name. */
export type Document = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string };

const TOO_LONG: Document = { ok: false, problem: `is larger than ${MAX_DOCUMENT_BYTES} bytes` };

function parsed(text: string): Document {
  try {
    const { value, duplicates, numbers } = parseJson(text);
    if (duplicates.length > 0) return { ok: false, problem: "has an object with two equal keys" };
    return numbers.every((number) => number.exact) ? { ok: true, value } : { ok: false, problem: "has a number that no double can hold" };
  } catch {
    return { ok: false, problem: "is not JSON" };
  }
}

/** Reads one JSON document as strictly as the protocol edge does (design §3: what is not UTF-8 or JSON is a denial). */
export function readDocument(bytes: Uint8Array): Document {
  return isUtf8(bytes)
    ? parsed(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"))
    : { ok: false, problem: "is not UTF-8 text" };
}

/** Everything that a stream gives, as one document; what is over the limit is read past. */
export async function readWhole(input: Readable): Promise<Document> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_DOCUMENT_BYTES) parts = [];
    else parts.push(chunk);
  }
  return length > MAX_DOCUMENT_BYTES ? TOO_LONG : readDocument(Buffer.concat(parts));
}

/** Where `answerLines` reads and writes. */
export interface LineStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Answers each line with exactly one line, in order, and reads no faster than the answers are taken. Lines end at LF only; a last
 * line without LF counts, and a line that is no document is answered too (design §3, `decide --stream`).
 * @param answer gives the answer to one line, without LF
 */
export async function answerLines({ input, output }: LineStreams, answer: (document: Document) => string): Promise<void> {
  let answers = "";
  const add = (document: Document): void => {
    answers += `${answer(document)}\n`;
  };
  const splitter = createLineSplitter(MAX_DOCUMENT_BYTES, { onLine: (line) => add(readDocument(line)), onTooLong: () => add(TOO_LONG) });
  const flush = async (): Promise<void> => {
    const ready = answers;
    answers = "";
    if (ready !== "") await write(output, ready);
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    splitter.push(chunk);
    await flush();
  }
  splitter.end();
  await flush();
}
