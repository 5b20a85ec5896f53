import type { JsonObject, JsonValue } from "./json.ts";

const fixed = new WeakSet<object>();
const texts = new WeakMap<object, string>();
const clean = new WeakSet<object>();

/**
 * Marks a JSON value that stands in event after event, such as the facts of a tool: it is frozen with everything in it, and what the log
 * makes of it is worked out once.
 * @returns the same value
 */
export function fix<Value extends object>(value: Value): Value {
  if (fixed.has(value)) return value;
  freezeWhole(value);
  fixed.add(value);
  return value;
}

/** The canonical text of a value that was marked; `write` makes it the first time. Undefined for any other value. */
export function fixedText(value: JsonObject | readonly JsonValue[], write: () => string): string | undefined {
  if (!fixed.has(value)) return undefined;
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = write();
  texts.set(value, text);
  return text;
}

/** Whether a value that was marked has been found to hold nothing to erase. */
export function isKnownClean(value: object): boolean {
  return clean.has(value);
}

/** Remembers that a value holds nothing to erase, if it can never change. */
export function noteClean(value: object): void {
  if (fixed.has(value)) clean.add(value);
}

function freezeWhole(value: object): void {
  for (const item of Object.values(value)) if (typeof item === "object" && item !== null) freezeWhole(item as object);
  Object.freeze(value);
}
