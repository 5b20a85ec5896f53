import { compareDecimal, parseDecimal } from "./decimal.ts";
import { isArray, type RegoObject, type RegoValue } from "./values.ts";

const ORDER = { null: 0, boolean: 1, number: 2, string: 3, array: 4, object: 5, set: 6 } as const;

/**
 * Compares two values in Rego's order (OPA `ast.Compare`: null, booleans, numbers, strings, arrays, objects, sets).
 * @returns negative, zero or positive; zero means equal in Rego's sense (`1` equals `1.0`)
 */
export function compare(a: RegoValue, b: RegoValue): number {
  const rank = ORDER[kindOf(a)] - ORDER[kindOf(b)];
  if (rank !== 0) return rank;
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  if (typeof a === "boolean") return Number(a) - Number(b);
  if (a === null || typeof a !== "object" || typeof b !== "object" || b === null) return 0;
  if (isArray(a)) return compareItems(a, b as readonly RegoValue[]);
  if (a.kind === "number") return compareNumbers(a.text, (b as typeof a).text);
  if (a.kind === "set") return compareItems(a.items, (b as typeof a).items);
  return compareObjects(a, b as RegoObject);
}

/** Compares strings by their UTF-8 bytes, as Go does; UTF-16 order differs for characters beyond the basic plane. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

/** Name of a value's type as Rego's `type_name` gives it. */
export function kindOf(value: RegoValue): keyof typeof ORDER {
  if (value === null) return "null";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  return isArray(value) ? "array" : value.kind;
}

/** Surrogates stand for characters above the basic plane, so they sort after everything else. */
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareNumbers(a: string, b: string): number {
  if (a === b) return 0;
  const [x, y] = [parseDecimal(a), parseDecimal(b)];
  if (x === undefined || y === undefined) throw new RangeError("number out of range");
  return compareDecimal(x, y);
}

function compareItems(a: readonly RegoValue[], b: readonly RegoValue[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const order = compare(a[index] ?? null, b[index] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Objects compare entry by entry: key first, then its value. */
function compareObjects(a: RegoObject, b: RegoObject): number {
  const length = Math.min(a.entries.length, b.entries.length);
  for (let index = 0; index < length; index += 1) {
    const [x, y] = [a.entries[index], b.entries[index]];
    if (x === undefined || y === undefined) break;
    const order = compare(x[0], y[0]) || compare(x[1], y[1]);
    if (order !== 0) return order;
  }
  return a.entries.length - b.entries.length;
}
