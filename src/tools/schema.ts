import { toJSONSchema } from "zod";
import type { ZodType } from "zod";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";

/** Keys that some host rejects or reads under another dialect (trial M22). */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["$schema", "$defs", "$ref", "$dynamicRef", "$id", "definitions"]);

/**
 * The JSON schema that a tool publishes, in the keywords that draft-07 and 2020-12 share and without `$schema`. Its root is an object
 * schema: a union of object schemas becomes one whose `anyOf` says which keys belong together.
 * @param schema the tool's input or output schema
 * @throws Error when the schema is not made of closed objects: then unknown keys would pass
 */
export function publishedSchema(schema: ZodType): JsonObject {
  const { $schema: _, ...generated } = toJSONSchema(schema, { io: "input", reused: "inline", unrepresentable: "throw" });
  const root = asOneObject(generated as JsonObject);
  const stray = strayKey(root);
  if (stray !== undefined) throw new Error(`a tool schema must not use \`${stray}\``);
  return root;
}

function asOneObject(root: JsonObject): JsonObject {
  const branches = root["anyOf"] ?? root["oneOf"];
  if (!Array.isArray(branches)) return closed(root);
  const objects = branches.map((branch) => closed(isJsonObject(branch) ? branch : {}));
  return {
    type: "object",
    properties: Object.assign({}, ...objects.toReversed().map((branch) => branch["properties"] ?? {})) as JsonObject,
    additionalProperties: false,
    anyOf: objects.map((branch) => ({ required: branch["required"] ?? [] })),
  };
}

function closed(schema: JsonObject): JsonObject {
  if (schema["type"] !== "object" || schema["additionalProperties"] !== false) {
    throw new Error("a tool schema must be an object that refuses unknown keys");
  }
  return schema;
}

/** First forbidden keyword; property names are data, not keywords. */
function strayKey(value: JsonValue, names = false): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (item) => strayKey(item));
  if (!isJsonObject(value)) return undefined;
  return firstOf(Object.entries(value), ([key, item]) =>
    !names && FORBIDDEN_KEYS.has(key) ? key : strayKey(item, key === "properties" && !names),
  );
}

function firstOf<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
