import type { JsonValue } from "../call/json.ts";

/** The id of a request as the edge keeps it. */
export interface RequestId {
  /** Equal exactly for ids of the same type and value. */
  readonly key: string;
  /** JSON text that is written back: a number's source text, so that no id is ever altered (design §11). */
  readonly json: string;
}

/** An integer's source text, where it is not that of its double, and whether both mean the same. */
export interface IdSource {
  readonly text: string;
  readonly exact: boolean;
}

/**
 * Reads an id: a string, or a number that is an integer and exact.
 * @param source source text of a number that `String` would write otherwise
 * @returns undefined for null, booleans, arrays, objects, fractions and inexact numbers (design §11)
 */
export function readRequestId(value: JsonValue | undefined, source?: IdSource): RequestId | undefined {
  if (typeof value === "string") return { key: `s${value}`, json: JSON.stringify(value) };
  if (typeof value !== "number" || !Number.isInteger(value) || source?.exact === false) return undefined;
  return { key: `n${value}`, json: source?.text ?? String(value) };
}
