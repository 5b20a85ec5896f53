import type { ToolFacts } from "../call/tool-call.ts";
import { EXECUTE } from "../call/risk-table.ts";
import type { CatalogueEntry } from "../tools/command-catalogue.ts";
import type { CommandCall } from "../tools/execute.ts";
import type { RegisteredTool, ToolRegistry } from "../tools/registry.ts";
import type { CallRequest, CallToolResult, Corridor } from "./corridor-types.ts";

/** The commands of one server, by their keys. */
export interface CommandBook {
  /** What this agent may see, as the list of tools shows it; execute itself is no command. */
  commands(): readonly CatalogueEntry[];
  /** Enters the corridor with a command; undefined when the key is no command's. */
  callCommand(call: CommandCall): Promise<CallToolResult | undefined>;
  /** Binds the corridor, which is made after the tools. */
  bind(corridor: Pick<Corridor, "call" | "listTools">): void;
  /** The table of tools, which is made after the tools as well. */
  use(registry: ToolRegistry): void;
}

/**
 * Makes the book behind search, describe and execute (design §6). A key is compared exactly and with keys alone: the wire name of a tool
 * that has another key, or none, is no key.
 */
export function createCommandBook(factsOf: (tool: string) => ToolFacts): CommandBook {
  let corridor: Pick<Corridor, "call" | "listTools"> | undefined;
  let registry: ToolRegistry | undefined;
  const bound = (): { corridor: Pick<Corridor, "call" | "listTools">; registry: ToolRegistry } => {
    if (corridor === undefined || registry === undefined) throw new Error("the commands are not bound to a corridor yet");
    return { corridor, registry };
  };
  return {
    commands() {
      const parts = bound();
      const shown = new Set(parts.corridor.listTools().map(({ name }) => name));
      return parts.registry.list().flatMap((registered) => (shown.has(registered.tool.name) ? entryOf(registered, factsOf) : []));
    },
    async callCommand({ commandKey, arguments: args, from, signal }) {
      const parts = bound();
      const target = targetOf(commandKey, parts.registry, factsOf);
      const answer = await parts.corridor.call({ ...target, arguments: args, path: "execute", from, signal });
      return answer.kind === "unknown_tool" ? undefined : answer.result;
    },
    bind: (made) => {
      corridor = made;
    },
    use: (made) => {
      registry = made;
    },
  };
}

/** The tool of a key. A key that is none is gated as an unknown tool of that name, also when some tool happens to be called so. */
function targetOf(key: string, registry: ToolRegistry, factsOf: (tool: string) => ToolFacts): Pick<CallRequest, "tool" | "isUnknown"> {
  const known = registry.list().find(({ tool }) => factsOf(tool.name).command_key === key);
  if (known !== undefined) return { tool: known.tool.name };
  return factsOf(key).command_key === key ? { tool: key } : { tool: key, isUnknown: true };
}

function entryOf({ tool, inputSchema }: RegisteredTool, factsOf: (tool: string) => ToolFacts): readonly CatalogueEntry[] {
  const facts = factsOf(tool.name);
  if (facts.command_key === null || tool.name === EXECUTE) return [];
  return [
    {
      commandKey: facts.command_key,
      toolName: tool.name,
      title: tool.title,
      description: tool.description,
      readOnly: facts.read_only,
      destructive: facts.destructive,
      openWorld: facts.open_world,
      handoff: facts.handoff,
      liveWrite: facts.live_write,
      inputSchema,
    },
  ];
}
