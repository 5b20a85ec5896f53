import type { JsonValue } from "./json.ts";

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** Index of the quote that ends the string whose first character is at `start`. The text is valid JSON. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); ; end = text.indexOf('"', end + 1)) {
    if (end === -1) return text.length;
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - 1 - before) % 2 === 0) return end;
  }
}

/** Number of keys written in a valid JSON text: one per colon outside strings. */
function keysInText(text: string): number {
  let keys = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index + 1);
    else if (code === COLON) keys += 1;
  }
  return keys;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Number of keys in a value, at every depth; a loop, since a hostile value may be nested deeper than the stack. */
function keysInValue(root: unknown): number {
  let keys = 0;
  const open: object[] = isContainer(root) ? [root] : [];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (children !== value) keys += children.length;
    for (const child of children) if (isContainer(child)) open.push(child);
  }
  return keys;
}

/** A parsed JSON text, or what is wrong with it as a phrase that follows its name. */
export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string; readonly cause?: unknown };

/**
 * Parses JSON that has one reading only: an object with two equal keys is refused, since two parsers may take different ones
 * (design §11 refuses such messages at the protocol edge). About as fast as `JSON.parse` itself.
 */
export function parseJsonOnce(text: string): ParsedJson {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    return { ok: false, problem: "is not JSON", cause };
  }
  return keysInText(text) === keysInValue(value) ? { ok: true, value } : { ok: false, problem: "has an object with two equal keys" };
}
