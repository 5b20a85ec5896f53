import { parseJsonOnce } from "../call/duplicate-keys.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { isJsonObject } from "../call/json.ts";
import { BoundsError, serialise } from "./bounds.ts";
import { BundleError } from "./bundle-error.ts";
import { FILE_LIMITS } from "./bundle-files.ts";

const ROOT = "regate";
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses and checks a bundle's data document: strict JSON, one object, nothing outside the key `regate`, nothing that a package could
 * be mistaken for (design §1: plain data can otherwise pose as a rule's result; trials W04).
 * @param bytes data.json
 * @param packages paths that hold rules, such as `["gate", "rules", "ai_agent"]`
 * @returns the document, deeply frozen
 * @throws {BundleError} `bundle.data`
 */
export function checkData(bytes: Uint8Array, packages: readonly (readonly string[])[]): Readonly<JsonObject> {
  const data = parse(bytes);
  if (!isJsonObject(data)) throw new BundleError("bundle.data", "data.json is not an object");
  for (const key of Object.keys(data)) {
    const overlap = overlapOf(data, key, packages);
    if (overlap !== undefined) throw new BundleError("bundle.data", `data overlaps package ${overlap}`);
    if (key !== ROOT) throw new BundleError("bundle.data", `data outside \`${ROOT}\`: \`${key}\``);
  }
  return deepFreeze(data);
}

function parse(bytes: Uint8Array): JsonValue {
  const parsed = parseJsonOnce(textOf(bytes));
  if (!parsed.ok) throw refused(`data ${parsed.problem}`, parsed.cause);
  try {
    serialise(parsed.value, { depth: 64, bytes: FILE_LIMITS.data, values: Number.MAX_SAFE_INTEGER });
    return parsed.value;
  } catch (error) {
    throw refused(error instanceof BoundsError ? error.message.replace("input", "data") : "data is not JSON", error);
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw refused("data is not JSON", error);
  }
}

function refused(why: string, cause: unknown): BundleError {
  return new BundleError("bundle.data", `data.json is refused: ${why}`, cause);
}

/** The longest path of packages and rules that data at `key` goes along. */
function overlapOf(data: JsonObject, key: string, packages: readonly (readonly string[])[]): string | undefined {
  let [value, depth, level]: [JsonValue | undefined, number, string] = [data, 0, key];
  let nodes = packages.filter(([first]) => first === key);
  const found: string[] = [];
  while (nodes.length > 0 && isJsonObject(value) && Object.hasOwn(value, level)) {
    found.push(level);
    value = value[level];
    depth += 1;
    const keys: ReadonlySet<string> = new Set(isJsonObject(value) ? Object.keys(value) : []);
    const at = depth;
    nodes = nodes.filter((path) => keys.has(path[at] ?? ""));
    level = nodes[0]?.[at] ?? "";
  }
  return found.length === 0 ? undefined : found.join(".");
}

function deepFreeze<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
