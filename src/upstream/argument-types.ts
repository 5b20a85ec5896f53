import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";

const MAX_DEPTH = 64;

/**
 * Compares arguments with the JSON types that a tool's inputSchema declares (reference/gateway.md, Decisions): `properties`, `items`,
 * nested, `type` only; undeclared properties pass, nothing is coerced and nothing else of the schema is evaluated.
 * @returns path and expectation of the first misfit, such as "`a.b[0]`: expected integer"
 */
export function typeMisfit(
  value: JsonValue | undefined,
  schema: JsonValue | undefined,
  path: readonly (string | number)[] = [],
): string | undefined {
  if (!isJsonObject(schema) || value === undefined || path.length > MAX_DEPTH) return undefined;
  const types = typesOf(schema["type"]);
  if (types.length > 0 && !types.some((type) => isOf(value, type))) return `\`${pathText(path)}\`: expected ${types.join(" or ")}`;
  return Array.isArray(value) ? itemMisfit(value, schema, path) : propertyMisfit(value, schema, path);
}

function typesOf(type: JsonValue | undefined): readonly string[] {
  const given = Array.isArray(type) ? type : [type];
  const texts = given.filter((one) => typeof one === "string");
  // A type that JSON Schema does not know says nothing, as everything else that is not evaluated.
  return texts.every((text) => KNOWN.has(text)) ? texts : [];
}

const KNOWN = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

function isOf(value: JsonValue, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function itemMisfit(items: readonly JsonValue[], schema: JsonObject, path: readonly (string | number)[]): string | undefined {
  const { items: declared } = schema;
  for (const [index, item] of items.entries()) {
    const misfit = typeMisfit(item, Array.isArray(declared) ? declared[index] : declared, [...path, index]);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function propertyMisfit(value: JsonValue, { properties }: JsonObject, path: readonly (string | number)[]): string | undefined {
  if (!isJsonObject(value) || !isJsonObject(properties)) return undefined;
  for (const [key, schema] of Object.entries(properties)) {
    const misfit = Object.hasOwn(value, key) ? typeMisfit(value[key], schema, [...path, key]) : undefined;
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

/** A path in the arguments as it may stand in a refusal, such as `a.b[0]`; bounded. */
export function pathText(path: readonly (string | number)[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  return text.replace(/^\./, "").replaceAll("`", "'").slice(0, 200);
}
