import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";
import { canonicalJson } from "./canonical.ts";
import { redactEvent, redactJson, redactText } from "./redact.ts";
import { REDACTED } from "./secret-patterns.ts";

/**
 * Redacts a line of the log once more on its way out, so that lines of an older release or another writer are no exit for a secret.
 * @param line one event as JSON, or anything else
 * @returns the same bytes when there is nothing to erase, so that the reader can check the event's hash
 */
export function redactLine(line: string): string {
  try {
    const event = JSON.parse(line) as unknown;
    return isJsonObject(event) ? redactedEventLine(line, event) : redactText(line);
  } catch {
    return line.startsWith("{") ? REDACTED : redactText(line);
  }
}

function redactedEventLine(line: string, event: JsonObject): string {
  const { input, result, custom, ...frame } = event;
  const parts = redactEvent({ input: isJsonObject(input) ? input : {}, ...(isJsonObject(result) ? { result } : {}) });
  const ours = redactJson(custom ?? null, ["custom"]);
  if (parts.erased.length === 0 && ours.erased.length === 0) return line;
  const clean = { ...frame, ...(custom === undefined ? {} : { custom: ours.value }) };
  return canonicalJson({ ...clean, input: parts.input, ...(parts.result === undefined ? {} : { result: parts.result }) });
}
