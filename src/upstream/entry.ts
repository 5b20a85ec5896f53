import type { JsonObject } from "../call/json.ts";

/** How the arguments of a tool are checked against its pinned inputSchema (reference/gateway.md, Decisions). */
export type ArgumentsCheck = "types" | "full" | "off";

/** Settings of one tool, or of all tools of a server. */
export interface ToolSettings {
  readonly arguments?: ArgumentsCheck;
  /** Milliseconds from forwarding a call to its answer. */
  readonly timeoutMs?: number;
  /** Calls that may run at the same time. */
  readonly concurrency?: number;
}

/** What every configured server has. */
interface CommonEntry extends ToolSettings {
  /** Server id: `^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$`; `upstream` for the `--` form. */
  readonly id: string;
  /** By the upstream's own tool names. */
  readonly tools: ReadonlyMap<string, ToolSettings>;
}

/** A server that is started as a process. */
export interface StdioEntry extends CommonEntry {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** `false`: without a sandbox although there is one. */
  readonly sandbox?: boolean;
}

/** A server that is spoken to over Streamable HTTP. */
export interface HttpEntry extends CommonEntry {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One configured server. */
export type UpstreamEntry = StdioEntry | HttpEntry;

/** What the lock file holds of a server itself: command with argv, or URL (reference/gateway.md, Decisions). */
export function identityOf(entry: UpstreamEntry): JsonObject {
  const known = identities.get(entry);
  if (known !== undefined) return known;
  const identity = entry.kind === "stdio" ? { command: [entry.command, ...entry.args] } : { url: entry.url };
  identities.set(entry, identity);
  return identity;
}

const identities = new WeakMap<UpstreamEntry, JsonObject>();

/** The settings of one tool: its own, then those of its server. */
export function settingsOf(entry: UpstreamEntry, tool: string): ToolSettings {
  const known = settings.get(entry)?.get(tool);
  if (known !== undefined) return known;
  const found = mergedSettings(entry, tool);
  settings.set(entry, (settings.get(entry) ?? new Map<string, ToolSettings>()).set(tool, found));
  return found;
}

/** By the names of tools that a server has listed. */
const settings = new WeakMap<UpstreamEntry, Map<string, ToolSettings>>();

function mergedSettings(entry: UpstreamEntry, tool: string): ToolSettings {
  const { arguments: check, timeoutMs, concurrency } = entry;
  const common = { ...(check === undefined ? {} : { arguments: check }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return { ...common, ...(concurrency === undefined ? {} : { concurrency }), ...entry.tools.get(tool) };
}
