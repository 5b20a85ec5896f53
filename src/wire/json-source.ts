import type { JsonValue } from "../call/json.ts";
import { isExactNumber, isShortestText } from "./json-number.ts";

/**
 * A place in a document: its key or index, and the place of the container around it. The document's own place stands in a container
 * without a parent.
 */
export interface Place {
  readonly parent: Place | null;
  readonly key: string | number;
}

/** A number whose double would be written otherwise than it stands in the document. */
export interface NumberSource {
  readonly at: Place;
  readonly text: string;
  /** False when the double means another value than the text. */
  readonly exact: boolean;
}

/** A document with what `JSON.parse` throws away. */
export interface ParsedJson {
  /** As `JSON.parse` gives it: `__proto__` and `constructor` are ordinary own keys; of a key that comes twice the last value. */
  readonly value: JsonValue;
  /** In document order. */
  readonly numbers: readonly NumberSource[];
  /** Keys that their object already had, in document order; compared after unescaping. */
  readonly duplicates: readonly Place[];
  /** Deepest nesting of arrays and objects; 0 for a scalar. */
  readonly depth: number;
}

/**
 * Parses JSON strictly and keeps what a gate must know beside the values: source text of numbers, duplicate keys, depth (design §11).
 * `JSON.parse` decides what is JSON and makes the values; one iterative scan over text that is then known to be valid finds the rest.
 * @throws SyntaxError when the text is not JSON (a byte order mark, NaN, a trailing comma, …)
 */
export function parseJson(text: string): ParsedJson {
  const value = JSON.parse(text) as JsonValue;
  return { value, ...scan(text) };
}

/** The keys that lead to a place, from the top; none for the document itself. */
export function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | null = place; at?.parent?.parent; at = at.parent) path.push(at.key);
  return path.reverse();
}

/** Whether a place is a member of the document itself. */
export function isMember(place: Place): boolean {
  return place.parent?.parent?.parent === null;
}

/** An open container: itself a place, so that places below it share it. */
interface Frame extends Place {
  readonly parent: Frame | null;
  readonly depth: number;
  /** Keys seen so far; null for an array. */
  readonly keys: Set<string> | null;
  /** Key or index of the value that comes next or is being read. */
  current: string | number;
  expectsKey: boolean;
}

interface Findings {
  readonly numbers: NumberSource[];
  readonly duplicates: Place[];
  depth: number;
}

function scan(text: string): Findings {
  const found: Findings = { numbers: [], duplicates: [], depth: 0 };
  let frame = open(null, null);
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = stringEnd(text, at);
      if (frame.expectsKey) readKey(frame, text.slice(at, end), found);
      at = end;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const end = numberEnd(text, at);
      noteNumber(frame, text.slice(at, end), found);
      at = end;
    } else {
      frame = structure(code, frame, found);
      at += 1;
    }
  }
  return found;
}

/** Follows brackets and commas; colons, blanks and the letters of `true`, `false`, `null` change nothing. */
function structure(code: number, frame: Frame, found: Findings): Frame {
  switch (code) {
    case 0x7b:
    case 0x5b: {
      const inner = open(frame, code === 0x7b ? new Set() : null);
      if (inner.depth > found.depth) found.depth = inner.depth;
      return inner;
    }
    case 0x7d:
    case 0x5d:
      return frame.parent ?? frame;
    case 0x2c:
      if (frame.keys) frame.expectsKey = true;
      else frame.current = (frame.current as number) + 1;
      return frame;
    default:
      return frame;
  }
}

function open(parent: Frame | null, keys: Set<string> | null): Frame {
  return {
    parent,
    key: parent ? parent.current : "",
    depth: parent ? parent.depth + 1 : 0,
    keys,
    current: 0,
    expectsKey: keys !== null,
  };
}

function readKey(frame: Frame, quoted: string, found: Findings): void {
  const key = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (frame.keys?.has(key)) found.duplicates.push({ parent: frame, key });
  frame.keys?.add(key);
  frame.current = key;
  frame.expectsKey = false;
}

function noteNumber(frame: Frame, text: string, found: Findings): void {
  if (isShortestText(text)) return;
  found.numbers.push({ at: { parent: frame, key: frame.current }, text, exact: isExactNumber(text) });
}

/** Index behind the closing quote of the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Index behind the number that begins at `start`: digits, sign, point, exponent. */
function numberEnd(text: string, start: number): number {
  let end = start + 1;
  for (let code = text.charCodeAt(end); isNumberPart(code); code = text.charCodeAt(end)) end += 1;
  return end;
}

function isNumberPart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2d || code === 0x2b || code === 0x65 || code === 0x45;
}
