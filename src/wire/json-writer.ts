import type { JsonValue } from "../call/json.ts";
import { pathOf, type NumberSource } from "./json-source.ts";

/** Source texts by place: a text at a leaf, further keys below. */
type Texts = Map<string | number, Texts | string>;

/**
 * Writes a value that was parsed by `parseJson` so that every number keeps its source text (reference/gateway.md, Decisions): what policy
 * saw as a double is forwarded as it was written. A place that no longer holds a number is written as it is.
 * @param numbers number sources of the document
 * @param base keys that lead from the document to the value; sources elsewhere do not count
 */
export function writeJson(value: JsonValue, numbers: readonly NumberSource[] = [], base: readonly (string | number)[] = []): string {
  if (numbers.length === 0) return JSON.stringify(value);
  const texts: Texts = new Map();
  for (const { at, text } of numbers) {
    const path = pathOf(at);
    if (path.length > base.length && base.every((key, index) => key === path[index])) put(texts, path.slice(base.length), text);
  }
  return texts.size === 0 ? JSON.stringify(value) : write(value, texts);
}

function put(texts: Texts, path: readonly (string | number)[], text: string): void {
  let at = texts;
  for (const key of path.slice(0, -1)) {
    const below = at.get(key);
    const next: Texts = below instanceof Map ? below : new Map();
    at.set(key, next);
    at = next;
  }
  const last = path.at(-1);
  if (last !== undefined) at.set(last, text);
}

function write(value: JsonValue | undefined, texts: Texts | string | undefined): string {
  if (texts === undefined) return JSON.stringify(value);
  if (typeof texts === "string") return typeof value === "number" ? texts : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item, index) => write(item, texts.get(index))).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member, texts.get(key))}`).join(",")}}`;
}
