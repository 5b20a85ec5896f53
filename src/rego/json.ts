/** A JSON value, of this room's own because `rego/` stands beside the corridor and imports nothing of it: as `JSON.parse` gives it; `__proto__` and `constructor` are ordinary keys. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Tells whether a value is a plain JSON object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
