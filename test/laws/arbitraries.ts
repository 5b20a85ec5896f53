import { dictionary, jsonValue } from "fast-check";
import type { Arbitrary } from "fast-check";
import type { JsonObject, JsonValue } from "../../src/call/json.ts";

/** Any JSON value whose numbers a double holds exactly: what is inside the bounds of arguments. */
export function exactJson(): Arbitrary<JsonValue> {
  return jsonValue().map((value) => JSON.parse(JSON.stringify(value), exact) as JsonValue);
}

/** Any arguments inside the bounds, with keys from `keys`. */
export function exactArguments(keys: Arbitrary<string>): Arbitrary<JsonObject> {
  return dictionary(keys, exactJson()) as Arbitrary<JsonObject>;
}

function exact(_: string, value: unknown): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 0.5 : value;
}
