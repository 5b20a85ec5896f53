import type { JsonObject, JsonValue } from "../call/json.ts";
import type { CallToolResult } from "./corridor-types.ts";

const SIGNAL_NAME = /^SIG[A-Z0-9+-]{1,16}$/;

/** Which small facts of a result the outcome event repeats, and what each must be: a result is foreign text, the log is not (design §10). */
const FACTS: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
  ["exit_code", (value: JsonValue) => value === null || Number.isSafeInteger(value)],
  ["signal", (value: JsonValue) => value === null || (typeof value === "string" && SIGNAL_NAME.test(value))],
  ["timed_out", (value: JsonValue) => typeof value === "boolean"],
  ["truncated", (value: JsonValue) => typeof value === "boolean"],
]);

/** The facts of a result that its outcome event repeats. */
export function outcomeFacts({ structuredContent }: CallToolResult): JsonObject {
  if (structuredContent === undefined) return {};
  const facts: JsonObject = {};
  for (const [name, isFit] of FACTS) {
    const value = structuredContent[name];
    if (value !== undefined && isFit(value)) facts[name] = value;
  }
  return facts;
}
