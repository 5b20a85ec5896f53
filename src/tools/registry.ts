import type { JsonObject } from "../call/json.ts";
import { publishedSchema } from "./schema.ts";
import type { Tool } from "./tool.ts";

/** A tool with the schemas that it publishes. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly inputSchema: Readonly<JsonObject>;
  readonly outputSchema: Readonly<JsonObject>;
}

/** The local tools of one server, by exact wire name. */
export interface ToolRegistry {
  get(name: string): RegisteredTool | undefined;
  /** In the order in which they were registered. */
  list(): readonly RegisteredTool[];
}

/** What hosts accept as a tool name on the wire (reference/identity-gate.md §7). */
const WIRE_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Makes the table of local tools. Everything that can be wrong with a tool is found here and not at its first call.
 * @throws Error on a name that is doubled or unfit for the wire, and on a schema that would let unknown keys pass
 */
export function createRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, RegisteredTool>();
  for (const tool of tools) {
    if (!WIRE_NAME.test(tool.name)) throw new Error(`tool name \`${tool.name}\` is not fit for the wire`);
    if (byName.has(tool.name)) throw new Error(`tool \`${tool.name}\` is registered twice`);
    byName.set(tool.name, registered(tool));
  }
  const list = Object.freeze([...byName.values()]);
  return { get: (name) => byName.get(name), list: () => list };
}

/** Whatever the structured content of another call is. */
const OPEN_OBJECT: Readonly<JsonObject> = Object.freeze({ type: "object" });

function registered(tool: Tool): RegisteredTool {
  return Object.freeze({
    tool,
    inputSchema: publishedSchema(tool.input),
    outputSchema: tool.passesOn === true ? OPEN_OBJECT : publishedSchema(tool.output),
  });
}
