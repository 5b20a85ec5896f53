import { INPUT_LIMITS } from "./limits.ts";

/** The input is not what a policy may be asked about; the engine denies it with `policy.error`. */
export class BoundsError extends Error {
  override readonly name = "BoundsError";
}

/** What is left of the limits of one serialisation. */
export interface Budget {
  /** UTF-16 units that may still be written; each takes at least one byte. */
  units: number;
  /** Values that may still be written. */
  values: number;
}

/** Characters that JSON text can hold as they are; anything else goes through `JSON.stringify`. */
const NEEDS_CARE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;
const LONG = 200;

/**
 * Serialises a value strictly: only what JSON can say, well-formed strings in keys and values, finite numbers, no integer beyond 2^53 - 1,
 * plain objects and arrays without accessors, within the limits. `__proto__` and `constructor` are keys like any other, and a `toJSON`
 * is never called. Never recurses deeper than the limit.
 * @param value a JSON value
 * @param limits depth, UTF-8 bytes and number of values
 * @returns JSON text
 * @throws {BoundsError} for anything else
 */
export function serialise(
  value: unknown,
  limits: { readonly depth: number; readonly bytes: number; readonly values: number } = INPUT_LIMITS,
): string {
  const budget = { units: limits.bytes, values: limits.values };
  const text = writeValue(value, limits.depth, budget);
  checkBytes(text, limits.bytes);
  return text;
}

/** Refuses text whose UTF-8 form is too long; counts bytes only when the number of characters does not settle it. */
export function checkBytes(text: string, bytes: number): void {
  if (text.length * 3 > bytes && Buffer.byteLength(text) > bytes) throw new BoundsError("input is too large");
}

/**
 * Writes one value.
 * @param depth levels of nesting that are still allowed
 * @throws {BoundsError}
 */
export function writeValue(value: unknown, depth: number, budget: Budget): string {
  budget.values -= 1;
  if (budget.values < 0) throw new BoundsError("input has too many values");
  switch (typeof value) {
    case "string":
      return writeString(value, budget);
    case "boolean":
      return spend(budget, value ? "true" : "false");
    case "number":
      return spend(budget, writeNumber(value));
    case "object":
      if (value === null) return spend(budget, "null");
      if (depth === 0) throw new BoundsError("input is nested too deeply");
      return Array.isArray(value) ? writeArray(value, depth - 1, budget) : writeObject(value, depth - 1, budget);
    default:
      throw new BoundsError(`input has a value of type ${typeof value}`);
  }
}

/** Writes a string or a key, with its quotes. */
export function writeString(value: string, budget: Budget): string {
  if (value.length > budget.units) throw new BoundsError("input is too large");
  if (value.length <= LONG && !NEEDS_CARE.test(value)) return spend(budget, `"${value}"`);
  if (!value.isWellFormed()) throw new BoundsError("input has a string that is not well-formed Unicode");
  return spend(budget, JSON.stringify(value));
}

/**
 * An own property of a plain object: undefined when there is none.
 * @throws {BoundsError} when it is an accessor: reading it could run code and give another value each time
 */
export function ownValue(object: object, key: string | number): { readonly value?: unknown } | undefined {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (property === undefined) return undefined;
  if (!("value" in property)) throw new BoundsError("input has an accessor");
  return property;
}

/**
 * Refuses what only looks like a JSON object: instances of classes, maps, dates, proxies of them.
 * @throws {BoundsError}
 */
export function checkPlain(object: object): void {
  const prototype: unknown = Object.getPrototypeOf(object);
  // Objects of another realm are plain too: their prototype is the root of its chain.
  if (prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null) return;
  throw new BoundsError("input has an object that is not plain");
}

function writeArray(items: readonly unknown[], depth: number, budget: Budget): string {
  if (items.length > budget.values) throw new BoundsError("input has too many values");
  budget.units -= items.length + 2;
  let text = "[";
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ",";
    text += writeValue(ownValue(items, index)?.value, depth, budget);
  }
  return `${text}]`;
}

function writeObject(object: object, depth: number, budget: Budget): string {
  checkPlain(object);
  const keys = Object.keys(object);
  if (keys.length > budget.values) throw new BoundsError("input has too many values");
  let text = "{";
  budget.units -= 2;
  for (const key of keys) {
    if (text.length > 1) text += ",";
    budget.units -= 2;
    text += `${writeString(key, budget)}:${writeValue(ownValue(object, key)?.value, depth, budget)}`;
  }
  if (Object.getOwnPropertySymbols(object).length > 0) throw new BoundsError("input has a symbol as a key");
  return `${text}}`;
}

/** Numbers that JavaScript holds exactly; -0 is 0 in JSON. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new BoundsError("input has a number that is not finite");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new BoundsError("input has an integer that is not exact");
  return value === 0 ? "0" : String(value);
}

function spend(budget: Budget, text: string): string {
  budget.units -= text.length;
  if (budget.units < 0) throw new BoundsError("input is too large");
  return text;
}
