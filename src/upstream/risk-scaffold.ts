import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { UpstreamTool } from "./tool-table.ts";

/** The tools of one server; absent when it did not come up. */
export interface ListedServer {
  readonly id: string;
  readonly tools: readonly UpstreamTool[] | undefined;
}

/**
 * Rows of a risk table by `<server id>__<name>`. They only tighten: what a server calls destructive or open to the world is written so,
 * what it calls read-only is not; a human raises a tool to read-only after looking at it (reference/mcp.md §10).
 */
export function scaffold(servers: readonly ListedServer[]): JsonObject {
  const rows = servers.flatMap(({ id, tools = [] }) =>
    tools.map(({ name, definition: { annotations } }): [string, JsonObject] => {
      const says = (hint: string): boolean => isJsonObject(annotations) && annotations[hint] === true;
      const row = {
        read_only: false,
        destructive: says("destructiveHint"),
        handoff: false,
        live_write: false,
        open_world: says("openWorldHint"),
      };
      return [`${id}__${name}`, row];
    }),
  );
  return Object.fromEntries(rows);
}
