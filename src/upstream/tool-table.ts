import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import type { NumberSource } from "../wire/json-source.ts";
import { writeJson } from "../wire/json-writer.ts";
import { holdsHiddenText } from "./hidden-text.ts";
import { digestOf, type Listed, type PinStatus } from "./pins.ts";

/** Why a listed tool is not served; `ok`: it is. */
export type ToolStatus = "ok" | "hidden_text" | Exclude<PinStatus, "pinned">;

/** One tool as its server lists it. */
export interface UpstreamTool {
  /** The server's own name. */
  readonly name: string;
  readonly definition: Readonly<JsonObject>;
  /** The definition as it was sent, numbers with their source text. */
  readonly json: string;
  readonly digest: string;
  readonly status: ToolStatus;
}

/** The tools of one server after one listing. */
export interface ToolTable {
  readonly tools: ReadonlyMap<string, UpstreamTool>;
  /** Names that are malformed or listed twice: refused when called (`name.ambiguous`). */
  readonly ambiguous: ReadonlySet<string>;
  /** What is not served and why, for stderr. */
  readonly problems: readonly string[];
}

/** No tools at all. */
export const NO_TOOLS: ToolTable = { tools: new Map(), ambiguous: new Set(), problems: [] };

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const DIALECTS = new Set([
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema",
  "http://json-schema.org/draft-06/schema",
  "http://json-schema.org/draft-04/schema",
]);

/** One entry of a page of tools/list, with its place. */
export interface ListedEntry {
  readonly value: JsonValue;
  readonly numbers: readonly NumberSource[];
  readonly base: readonly (string | number)[];
}

interface Named extends ListedEntry {
  readonly name: string;
  readonly definition: JsonObject;
}

/**
 * Makes the table of one server from all pages of its list; a broken object never spoils the rest (reference/gateway.md, Names).
 * @param observe asks the pins
 */
export function toolTable(
  entries: readonly ListedEntry[],
  observe: (listed: readonly Listed[]) => ReadonlyMap<string, PinStatus>,
): ToolTable {
  const problems: string[] = [];
  const ambiguous = new Set<string>();
  const named = new Map<string, Named>();
  for (const entry of entries) {
    const { value } = entry;
    const name = isJsonObject(value) ? value["name"] : undefined;
    if (!isJsonObject(value) || typeof name !== "string") {
      problems.push("a tool without a name is not served");
    } else if (!NAME.test(name)) {
      ambiguous.add(name);
      problems.push(`tool ${shown(name)} is not served: its name must match \`${NAME.source}\``);
    } else if (named.has(name) || ambiguous.has(name)) {
      named.delete(name);
      ambiguous.add(name);
      problems.push(`tool ${shown(name)} is not served: its name is listed twice`);
    } else {
      named.set(name, { ...entry, name, definition: value });
    }
  }
  const sound = [...named.values()].filter(({ name, definition }) => {
    const problem = malformation(definition);
    if (problem !== undefined) problems.push(`tool ${shown(name)} is not served: ${problem}`);
    return problem === undefined;
  });
  const statuses = observe(sound.filter(({ definition }) => !holdsHiddenText(definition)));
  const tools = sound.map((entry): [string, UpstreamTool] => [entry.name, toolOf(entry, statuses.get(entry.name))]);
  return { tools: new Map(tools), ambiguous, problems };
}

function toolOf({ name, definition, numbers, base }: Named, pin: PinStatus | undefined): UpstreamTool {
  const status = pin === undefined ? "hidden_text" : pin === "pinned" ? "ok" : pin;
  return { name, definition, json: writeJson(definition, numbers, base), digest: digestOf(definition), status };
}

/** What strict clients would drop the whole list for, or nobody could check. */
function malformation(definition: JsonObject): string | undefined {
  const { inputSchema, outputSchema, description, title, annotations, _meta } = definition;
  if (!isJsonObject(inputSchema)) return "`inputSchema` is no object";
  if (inputSchema["type"] !== "object") return '`inputSchema` is not of type "object"';
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) return "`outputSchema` is no object";
  if (![description, title].every((text) => text === undefined || typeof text === "string")) return "`description` or `title` is no text";
  if (![annotations, _meta].every((part) => part === undefined || isJsonObject(part))) return "`annotations` or `_meta` is no object";
  const unknown = [inputSchema, outputSchema].find((schema) => isJsonObject(schema) && !isDialect(schema["$schema"]));
  return unknown === undefined ? undefined : "`$schema` names a dialect that is not known";
}

function isDialect(dialect: JsonValue | undefined): boolean {
  return dialect === undefined || (typeof dialect === "string" && DIALECTS.has(dialect.replace(/#$/, "")));
}

/** Most things that are named of what may be many. */
const MAX_NAMED = 50;

/**
 * What of a table is not served, as lines for stderr: bounded, however much a server lists.
 * @param missing pinned tools that are not listed
 */
export function notServed({ problems, tools }: ToolTable, missing: readonly string[]): readonly string[] {
  const held = [...tools.values()].filter(({ status }) => status !== "ok").map(({ name, status }) => `\`${name}\` (${status})`);
  const lines = [...atMost(problems)];
  if (held.length > 0) lines.push(`tools are held back, see \`regate pins show\`: ${atMost(held).join(", ")}`);
  if (missing.length > 0) lines.push(`tools that are pinned are no longer listed: ${atMost(missing.map(shown)).join(", ")}`);
  return lines;
}

function atMost(texts: readonly string[]): readonly string[] {
  return texts.length <= MAX_NAMED ? texts : [...texts.slice(0, MAX_NAMED), `and ${texts.length - MAX_NAMED} more`];
}

/** Text of a server as it may stand on stderr. */
export function shown(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll("`", "'");
  return `\`${escaped.length > 80 ? `${escaped.slice(0, 80)}…` : escaped}\``;
}
