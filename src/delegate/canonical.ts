import { DelegateError } from "./delegate-error.ts";

/** Deepest nesting that is hashed; the outermost value has depth 1. */
export const MAX_DEPTH = 64;
/** Longest canonical text, in UTF-16 units. */
export const MAX_LENGTH = 2_097_152;

interface Writing {
  readonly parts: string[];
  left: number;
  /** Called with each key, at every depth. */
  readonly onKey: ((key: string) => void) | undefined;
}

/** How a value is written. */
export interface CanonicalOptions {
  /** Told of each key at every depth; may throw. */
  readonly onKey?: (key: string) => void;
}

/**
 * The one text of a JSON value (reference: tool sessions, §6): keys sorted by UTF-16 code unit, no blanks, numbers and strings as ECMAScript
 * writes them, `-0` as `0`, no Unicode normalisation. Whatever JSON would drop, round or change is refused, so that two different inputs
 * never have one text.
 * @throws DelegateError `not_canonical` for what is no plain JSON data, and beyond the bounds of depth and size
 */
export function canonicalText(value: unknown, { onKey }: CanonicalOptions = {}): string {
  const writing: Writing = { parts: [], left: MAX_LENGTH, onKey };
  write(writing, value, 1);
  return writing.parts.join("");
}

/** The own entries of a plain object, each read once. */
export function plainEntries(value: unknown): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !isPlain(value)) throw refused("an object that is not plain");
  return Reflect.ownKeys(value).map((key) => {
    if (typeof key === "symbol") throw refused("a symbol as key");
    return [key, dataOf(value, key)];
  });
}

function write(writing: Writing, value: unknown, depth: number): void {
  switch (typeof value) {
    case "string":
      return put(writing, quoted(value));
    case "number":
      return put(writing, numberText(value));
    case "boolean":
      return put(writing, value ? "true" : "false");
    case "object":
      if (value === null) return put(writing, "null");
      if (depth > MAX_DEPTH) throw refused(`a value nested deeper than ${MAX_DEPTH}`);
      return Array.isArray(value) ? writeArray(writing, value, depth) : writeObject(writing, value, depth);
    default:
      throw refused(`a value of type ${typeof value}`);
  }
}

function writeArray(writing: Writing, items: readonly unknown[], depth: number): void {
  if (Object.getPrototypeOf(items) !== Array.prototype && !Array.isArray(Object.getPrototypeOf(items))) throw refused("a list of a class");
  // A hole, a further key or a symbol makes the count differ: the indices and `length` are all that a plain list has.
  if (Reflect.ownKeys(items).length !== items.length + 1) throw refused("a list with holes or with keys");
  put(writing, "[");
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) put(writing, ",");
    write(writing, dataOf(items, String(index)), depth + 1);
  }
  put(writing, "]");
}

function writeObject(writing: Writing, value: object, depth: number): void {
  const entries = plainEntries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  put(writing, "{");
  for (const [index, [key, member]] of entries.entries()) {
    writing.onKey?.(key);
    put(writing, `${index === 0 ? "" : ","}${quoted(key)}:`);
    write(writing, member, depth + 1);
  }
  put(writing, "}");
}

/** The value of an own, enumerable data property; an accessor could say something else the next time. */
function dataOf(value: object, key: string): unknown {
  const property = Object.getOwnPropertyDescriptor(value, key);
  if (property === undefined || !("value" in property) || property.enumerable !== true) throw refused("a property that is not plain data");
  return property.value;
}

/** Whether an object is a literal or has no prototype; one of another realm counts too. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  if (typeof prototype !== "object" || prototype === null) return false;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw refused("a number that is not finite");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw refused("a whole number beyond 2^53");
  return value === 0 ? "0" : String(value);
}

function quoted(text: string): string {
  if (!text.isWellFormed()) throw refused("a lone surrogate");
  return JSON.stringify(text);
}

function put(writing: Writing, text: string): void {
  writing.left -= text.length;
  if (writing.left < 0) throw refused(`a value of more than ${MAX_LENGTH} characters`);
  writing.parts.push(text);
}

function refused(what: string): DelegateError {
  return new DelegateError("not_canonical", `${what} has no canonical form`);
}
