import { z } from "zod";
import type { JsonObject } from "../call/json.ts";
import { ToolError } from "./tool-error.ts";
import type { Tool } from "./tool.ts";

/** One command that can be found and executed. */
export interface CatalogueEntry {
  readonly commandKey: string;
  readonly toolName: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly openWorld: boolean;
  readonly handoff: boolean;
  readonly liveWrite: boolean;
  readonly inputSchema: JsonObject;
}

/** What search and describe need: the commands that this agent may see. */
export interface CataloguePorts {
  readonly commands: () => readonly CatalogueEntry[];
}

/** So many hits a search shows (design §6). */
const MAX_HITS = 20;
const TIMEOUT_MS = 10_000;

const schemaObject = z.looseObject({}).describe("JSON schema of the arguments");

/** search (design §6): commands by words of their key, name, title and description; at most 20, the best first. */
export function searchTool({ commands }: CataloguePorts): Tool {
  const hit = z.strictObject({
    command_key: z.string(),
    tool_name: z.string(),
    description: z.string(),
    read_only: z.boolean(),
    destructive: z.boolean(),
    score: z.int(),
    input_schema: schemaObject,
  });
  const input = z.strictObject({ query: z.string().max(1_024, "is too long").describe("words to look for; none finds nothing") });
  return {
    name: "search",
    title: "Search commands",
    description: "Finds commands by words of their key, name and description. execute calls one by its command_key.",
    input,
    output: z.strictObject({ hits: z.array(hit), total_matches: z.int(), truncated: z.boolean(), hint: z.string() }),
    timeoutMs: TIMEOUT_MS,
    async handler(args) {
      const found = ranked(commands(), (args as z.infer<typeof input>).query);
      const hits = found.slice(0, MAX_HITS).map(({ entry, score }) => hitOf(entry, score));
      const truncated = found.length > MAX_HITS;
      return { structured: { hits, total_matches: found.length, truncated, hint: hintOf(found.length, truncated) } };
    },
  };
}

/** describe (design §6): what is declared about one command, and the schema of its arguments. */
export function describeTool({ commands }: CataloguePorts): Tool {
  const input = z.strictObject({ command_key: z.string().describe("key of a command, as search gives it") });
  return {
    name: "describe",
    title: "Describe a command",
    description: "Shows what a command does, what is declared about its risk, and the schema of its arguments.",
    input,
    output: z.strictObject({
      command_key: z.string(),
      tool_name: z.string(),
      title: z.string(),
      description: z.string(),
      read_only: z.boolean(),
      destructive: z.boolean(),
      open_world: z.boolean(),
      handoff: z.boolean(),
      live_write: z.boolean(),
      input_schema: schemaObject,
    }),
    timeoutMs: TIMEOUT_MS,
    async handler(args) {
      const key = (args as z.infer<typeof input>).command_key;
      const entry = commands().find(({ commandKey }) => commandKey === key);
      if (entry === undefined) throw new ToolError("describe: no command has this key");
      return { structured: descriptionOf(entry) };
    },
  };
}

function hitOf(entry: CatalogueEntry, score: number): JsonObject {
  return {
    command_key: entry.commandKey,
    tool_name: entry.toolName,
    description: entry.description,
    read_only: entry.readOnly,
    destructive: entry.destructive,
    score,
    input_schema: entry.inputSchema,
  };
}

function descriptionOf(entry: CatalogueEntry): JsonObject {
  return {
    command_key: entry.commandKey,
    tool_name: entry.toolName,
    title: entry.title,
    description: entry.description,
    read_only: entry.readOnly,
    destructive: entry.destructive,
    open_world: entry.openWorld,
    handoff: entry.handoff,
    live_write: entry.liveWrite,
    input_schema: entry.inputSchema,
  };
}

function hintOf(count: number, truncated: boolean): string {
  if (count === 0) return "no command matches; try other words";
  return truncated ? `the best ${MAX_HITS} of ${count}; add a word to narrow the search` : "call one with execute, by its command_key";
}

interface Ranked {
  readonly entry: CatalogueEntry;
  readonly score: number;
}

/** Commands that have every word of the query somewhere, the best first; of equals in the order of their keys. */
function ranked(entries: readonly CatalogueEntry[], query: string): readonly Ranked[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.entry.commandKey < b.entry.commandKey ? -1 : 1));
}

function scoreOf(entry: CatalogueEntry, words: readonly string[]): number {
  const names = new Set([...wordsOf(entry.commandKey), ...wordsOf(entry.toolName)]);
  const name = `${entry.commandKey} ${entry.toolName}`.toLowerCase();
  const prose = `${entry.title} ${entry.description}`.toLowerCase();
  const scores = words.map((word) => (names.has(word) ? 4 : name.includes(word) ? 2 : prose.includes(word) ? 1 : 0));
  return scores.includes(0) ? 0 : scores.reduce<number>((sum, score) => sum + score, 0);
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
