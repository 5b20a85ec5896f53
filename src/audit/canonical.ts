import type { JsonObject, JsonValue } from "../call/json.ts";
import { fixedText } from "../call/fixed.ts";

/** Characters that JSON writes as themselves; anything else takes the native writer. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** Up to this many keys, inserting each at its place is faster than the general sort. */
const FEW = 24;
const CACHE_SIZE = 4096;

const quotedKeys = new Map<string, string>();

/**
 * The RFC 8785 canonical text of a JSON value (design §10): no white space, keys in UTF-16 order, numbers and strings as ECMAScript writes
 * them. Written for the log's hot path, several times as fast as the `canonicalize` package, which reads the log back; a property test
 * holds both to the same text.
 * @throws Error for what JSON cannot say: NaN, infinities, lone surrogates (in keys too), `undefined`, functions
 */
export function canonicalJson(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "number":
      if (!Number.isFinite(value)) throw new Error("a number that is not finite has no canonical form");
      return value === 0 ? "0" : String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return fixedText(value, () => wholeText(value)) ?? wholeText(value);
    default:
      throw new Error(`not a JSON value: ${typeof value}`);
  }
}

function wholeText(value: JsonObject | readonly JsonValue[]): string {
  return Array.isArray(value) ? arrayText(value) : objectText(value as JsonObject);
}

function objectText(members: JsonObject): string {
  let text = "{";
  for (const key of sortedKeys(members))
    text += `${text.length === 1 ? "" : ","}${quotedKey(key)}:${canonicalJson(members[key] as JsonValue)}`;
  return `${text}}`;
}

function arrayText(items: readonly JsonValue[]): string {
  let text = "[";
  for (let at = 0; at < items.length; at += 1) text += `${at === 0 ? "" : ","}${canonicalJson(items[at] as JsonValue)}`;
  return `${text}]`;
}

/** The keys of an object in canonical order: by UTF-16 code units. */
export function sortedKeys(value: Readonly<Record<string, unknown>> | JsonObject): string[] {
  const keys = Object.keys(value);
  if (keys.length > FEW) return keys.toSorted();
  for (let at = 1; at < keys.length; at += 1) {
    const key = keys[at] as string;
    let to = at;
    for (; to > 0 && (keys[to - 1] as string) > key; to -= 1) keys[to] = keys[to - 1] as string;
    keys[to] = key;
  }
  return keys;
}

/** A key as canonical JSON text. @throws Error for a lone surrogate */
export function quotedKey(key: string): string {
  const known = quotedKeys.get(key);
  if (known !== undefined) return known;
  const text = quoted(key);
  if (quotedKeys.size >= CACHE_SIZE) quotedKeys.clear();
  if (key.length <= 64) quotedKeys.set(key, text);
  return text;
}

function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (/\p{Surrogate}/u.test(text)) throw new Error("a lone surrogate has no canonical form");
  return JSON.stringify(text);
}
