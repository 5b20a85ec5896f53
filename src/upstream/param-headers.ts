import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";

/** An argument that revision 2026-07-28 repeats as a header, declared by `x-mcp-header` in a tool's inputSchema (SEP-2243). */
export interface ParamHeader {
  /** Name of the whole header. */
  readonly header: string;
  /** Keys from the arguments to the value. */
  readonly path: readonly string[];
}

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** `number` is not in the specification's list, but the official clients send it. */
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean", "number"]);
/** Deepest nesting of a schema that is looked at. */
const MAX_DEPTH = 64;

const known = new WeakMap<Readonly<JsonObject>, readonly ParamHeader[]>();

/**
 * The declarations of an inputSchema, as far as they keep the rules of the revision: a token, unique whatever its case, on a primitive
 * property that is reached through `properties` only. Official clients drop a tool with one that breaks them; here such a one does not count.
 */
export function paramHeaders(schema: Readonly<JsonObject>): readonly ParamHeader[] {
  const found = known.get(schema) ?? sound(declared(schema, [], 0));
  known.set(schema, found);
  return found;
}

function declared({ properties }: Readonly<JsonObject>, path: readonly string[], depth: number): readonly ParamHeader[] {
  if (!isJsonObject(properties) || depth > MAX_DEPTH) return [];
  return Object.entries(properties).flatMap(([key, property]): readonly ParamHeader[] => {
    if (!isJsonObject(property)) return [];
    const { [KEY]: name, type } = property;
    const here = [...path, key];
    const isOwn = typeof name === "string" && TOKEN.test(name) && TYPES.has(type);
    return isOwn ? [{ header: `Mcp-Param-${name}`, path: here }] : declared(property, here, depth + 1);
  });
}

function sound(all: readonly ParamHeader[]): readonly ParamHeader[] {
  const counts = new Map<string, number>();
  for (const { header } of all) counts.set(header.toLowerCase(), (counts.get(header.toLowerCase()) ?? 0) + 1);
  return all.filter(({ header }) => counts.get(header.toLowerCase()) === 1);
}

/** The value of an argument; undefined where there is none, or null, and then no header. */
export function valueAt(args: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = args;
  for (const key of path) at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at ?? undefined;
}

/** A value as the header says it; undefined for one that no header can say. */
export function scalarText(value: JsonValue): string | undefined {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value !== "number" || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  const text = String(Object.is(value, -0) ? 0 : value);
  return DECIMAL.test(text) ? text : undefined;
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Whether a decoded header says a value: numbers are compared as numbers. */
export function saysValue(text: string, value: JsonValue): boolean {
  if (typeof value !== "number" || !DECIMAL.test(text)) return scalarText(value) === text;
  const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLarge ? /^-?\d+$/.test(text) && BigInt(text) === BigInt(value) : Number(text) === value;
}
