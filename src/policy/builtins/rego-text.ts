import { compare } from "./compare.ts";
import { quoteGo } from "./go-quote.ts";
import { isArray, type RegoValue } from "./values.ts";

const MAX_DEPTH = 512;
const NUMBER = /-?[0-9][0-9.eE+-]*/y;

interface Reader {
  readonly text: string;
  at: number;
}

/**
 * Parses a value in the form that `opa_value_dump` writes: JSON plus sets (`{1, 2}`, `set()`) and keys of any type.
 * Sets and objects come out sorted in Rego's order, which the WASM runtime's own order is not (reference/opa-wasm.md §5.5).
 * @param text what the policy module wrote
 * @throws {SyntaxError} on anything else
 */
export function parseRegoText(text: string): RegoValue {
  const reader = { text, at: 0 };
  const value = parseValue(reader, 0);
  if (reader.at !== text.length) throw new SyntaxError("text after a value");
  return value;
}

/**
 * Writes a value in Rego's text form, as OPA's `Value.String()` does: `{"a": 1}`, `[1, 2]`, `{1, 2}`, `set()`; strings in Go quotes.
 * Used where text reaches a policy (`sprintf` with `%v`).
 */
export function formatRego(value: RegoValue): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return quoteGo(value);
  if (isArray(value)) return `[${value.map(formatRego).join(", ")}]`;
  if (value.kind === "number") return value.text;
  if (value.kind === "set") return value.items.length === 0 ? "set()" : `{${value.items.map(formatRego).join(", ")}}`;
  return `{${value.entries.map(([key, item]) => `${formatRego(key)}: ${formatRego(item)}`).join(", ")}}`;
}

/** Writes a value in the form that `opa_value_parse` reads: strings as JSON. */
export function writeRegoText(value: RegoValue): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(writeRegoText).join(",")}]`;
  if (value.kind === "number") return value.text;
  if (value.kind === "set") return value.items.length === 0 ? "set()" : `{${value.items.map(writeRegoText).join(",")}}`;
  return `{${value.entries.map(([key, item]) => `${writeRegoText(key)}:${writeRegoText(item)}`).join(",")}}`;
}

function parseValue(reader: Reader, depth: number): RegoValue {
  if (depth > MAX_DEPTH) throw new SyntaxError("value is nested too deeply");
  const first = reader.text[reader.at];
  if (first === '"') return parseString(reader);
  if (first === "[") return parseList(reader, { close: "]", depth });
  if (first === "{") return parseBraces(reader, depth);
  for (const [word, value] of WORDS) {
    if (!reader.text.startsWith(word, reader.at)) continue;
    reader.at += word.length;
    return value;
  }
  NUMBER.lastIndex = reader.at;
  const number = NUMBER.exec(reader.text)?.[0];
  if (number === undefined) throw new SyntaxError("unexpected text in a value");
  reader.at += number.length;
  return { kind: "number", text: number };
}

const WORDS: readonly (readonly [string, RegoValue])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["set()", { kind: "set", items: [] }],
];

function parseString(reader: Reader): string {
  let end = reader.at + 1;
  while (reader.text[end] !== '"') {
    if (end >= reader.text.length) throw new SyntaxError("string without an end");
    end += reader.text[end] === "\\" ? 2 : 1;
  }
  const value = JSON.parse(reader.text.slice(reader.at, end + 1)) as string;
  reader.at = end + 1;
  return value;
}

function parseList(reader: Reader, list: { close: string; depth: number }): RegoValue[] {
  reader.at += 1;
  const items: RegoValue[] = [];
  if (take(reader, list.close)) return items;
  do items.push(parseValue(reader, list.depth + 1));
  while (take(reader, ", "));
  expect(reader, list.close);
  return items;
}

function parseBraces(reader: Reader, depth: number): RegoValue {
  reader.at += 1;
  if (take(reader, "}")) return { kind: "object", entries: [] };
  const first = parseValue(reader, depth + 1);
  if (take(reader, ": ")) return parseEntries(reader, { first, depth });
  const items = [first];
  while (take(reader, ", ")) items.push(parseValue(reader, depth + 1));
  expect(reader, "}");
  return { kind: "set", items: items.sort(compare) };
}

function parseEntries(reader: Reader, object: { first: RegoValue; depth: number }): RegoValue {
  const entries: [RegoValue, RegoValue][] = [[object.first, parseValue(reader, object.depth + 1)]];
  while (take(reader, ", ")) {
    const key = parseValue(reader, object.depth + 1);
    expect(reader, ": ");
    entries.push([key, parseValue(reader, object.depth + 1)]);
  }
  expect(reader, "}");
  return { kind: "object", entries: entries.sort((a, b) => compare(a[0], b[0])) };
}

function take(reader: Reader, text: string): boolean {
  if (!reader.text.startsWith(text, reader.at)) return false;
  reader.at += text.length;
  return true;
}

function expect(reader: Reader, text: string): void {
  if (!take(reader, text)) throw new SyntaxError(`\`${text}\` expected in a value`);
}
