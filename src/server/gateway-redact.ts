import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";

/** What stands in the place of what a policy leaves out. */
export const LEFT_OUT = "[redacted by policy]";

/**
 * A result without what a policy redacts; the same object when there is nothing to redact. A place that does not exist is none.
 * @param pointers JSON pointers (RFC 6901) into the result
 */
export function redacted(result: JsonObject, pointers: readonly string[]): JsonObject {
  if (pointers.length === 0) return result;
  const copy = structuredClone(result);
  for (const pointer of pointers) {
    const keys = pointer
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = keys.pop();
    const parent = keys.reduce<JsonValue | undefined>(memberOf, copy);
    if (last === undefined) return { content: [{ type: "text", text: LEFT_OUT }] };
    if (Array.isArray(parent) && memberOf(parent, last) !== undefined) parent[Number(last)] = LEFT_OUT;
    else if (isJsonObject(parent) && Object.hasOwn(parent, last)) parent[last] = LEFT_OUT;
  }
  return copy;
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
