import { isEntitled } from "../gate/entitlement.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import type { Core } from "./core.ts";
import type { ListedTool } from "./corridor-types.ts";
import { listingInputFor } from "./policy-input.ts";

/**
 * The tools that this agent may see: those that it is entitled to and that `gate/listing` shows (design §2, §7). Session state and usage
 * are no part of the question, because MCP requires that a list does not vary with them. Without an engine nothing is shown.
 */
export function listTools(core: Core): readonly ListedTool[] {
  return core.options.registry
    .list()
    .filter(({ tool }) => isShown(core, tool.name))
    .map((registered) => listed(core, registered));
}

/** Whether the agent is entitled to a tool and `gate/listing` shows it. */
export function isShown(core: Core, name: string): boolean {
  const { engine, allowlist } = core.options;
  if (engine === undefined || !isEntitled(name, allowlist)) return false;
  return engine.decide(listingInputFor(core, name), "gate/listing").allow;
}

function listed(core: Core, { tool, inputSchema, outputSchema }: RegisteredTool): ListedTool {
  const { name, title, description } = tool;
  const facts = core.options.factsOf(name);
  const annotations = {
    title,
    readOnlyHint: facts.read_only,
    destructiveHint: facts.destructive,
    idempotentHint: facts.read_only,
    openWorldHint: facts.open_world,
  };
  return { name, title, description, inputSchema, outputSchema, annotations };
}
