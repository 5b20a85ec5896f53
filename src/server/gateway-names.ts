import { fix } from "../call/fixed.ts";
import { isJsonObject, type JsonObject } from "../call/json.ts";
import { upstreamFacts, type RiskRows } from "../call/risk-table.ts";
import type { ToolFacts } from "../call/tool-call.ts";
import type { Engine } from "../policy/engine.ts";
import { settingsOf } from "../upstream/entry.ts";
import { shown, type ToolTable, type UpstreamTool } from "../upstream/tool-table.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Owner } from "./gateway-types.ts";

/** Longest name on the wire. */
const MAX_NAME = 64;

/** What a name on the wire stands for. */
export type Target =
  | { readonly kind: "tool"; readonly server: Upstream<Owner>; readonly tool: UpstreamTool }
  | { readonly kind: "ambiguous"; readonly server: Upstream<Owner> }
  /** `servers`: those that may have it once they are up. */
  | { readonly kind: "absent"; readonly servers: readonly Upstream<Owner>[] };

/** The table of wire names of one session. */
export interface Names {
  readonly find: (wireName: string) => Target;
  /** Name of a server's own tool or prompt on the wire. */
  readonly wireName: (server: Upstream<Owner>, name: string) => string;
  readonly factsOf: (wireName: string) => ToolFacts;
  /** Whether a name is short enough to be served; one that is not is named on stderr, once. */
  readonly isServed: (wireName: string) => boolean;
}

/**
 * Makes the table: with one server names are unchanged, with several `<server id>__<name>`. A joined name is looked up, never split
 * (reference/gateway.md, Names; trial M11). Two equal joined names are served by neither.
 */
export function createNames(upstreams: readonly Upstream<Owner>[], engine: Engine | undefined, note: (line: string) => void): Names {
  const rows = riskRows(engine);
  const isSingle = upstreams.length === 1;
  const wireName = (server: Upstream<Owner>, name: string): string => (isSingle ? name : `${server.entry.id}__${name}`);
  const tooLong = new Set<string>();
  const isServed = (name: string): boolean => {
    if (name.length <= MAX_NAME) return true;
    if (!tooLong.has(name)) note(`${shown(name)} is not served: its name is longer than ${MAX_NAME} characters`);
    tooLong.add(name);
    return false;
  };
  let tables: readonly ToolTable[] = [];
  let byName = new Map<string, Target>();
  let facts = new Map<Target, ToolFacts>();
  const rebuild = (): void => {
    const now = upstreams.map((server) => server.table());
    if (now.length === tables.length && now.every((table, index) => table === tables[index])) return;
    tables = now;
    byName = new Map();
    facts = new Map();
    for (const server of upstreams) {
      const { tools, ambiguous } = server.table();
      for (const name of ambiguous) byName.set(wireName(server, name), { kind: "ambiguous", server });
      for (const tool of tools.values()) put(byName, wireName(server, tool.name), { kind: "tool", server, tool });
    }
    for (const [name, { kind }] of byName) if (kind === "tool" && !isServed(name)) byName.delete(name);
  };
  const find = (name: string): Target => {
    rebuild();
    const found = byName.get(name);
    if (found !== undefined) return found;
    return { kind: "absent", servers: isSingle ? upstreams : upstreams.filter(({ entry }) => name.startsWith(`${entry.id}__`)) };
  };
  const factsOf = (name: string): ToolFacts => {
    const target = find(name);
    if (target.kind !== "tool") return factsFor(target, name, rows);
    const known = facts.get(target) ?? fix(factsFor(target, name, rows));
    facts.set(target, known);
    return known;
  };
  return { find, wireName, isServed, factsOf };
}

function put(byName: Map<string, Target>, name: string, target: Target & { kind: "tool" }): void {
  byName.set(name, byName.has(name) ? { kind: "ambiguous", server: target.server } : target);
}

function factsFor(target: Target, wireName: string, rows: RiskRows): ToolFacts {
  if (target.kind !== "tool") {
    const server = target.kind === "ambiguous" ? target.server : target.servers.length === 1 ? target.servers[0] : undefined;
    return upstreamFacts({ wireName, name: wireName, server: server?.entry.id ?? "", destructiveHint: false, pinned: false }, rows);
  }
  const { server, tool } = target;
  const { annotations } = tool.definition;
  return upstreamFacts(
    {
      wireName,
      name: tool.name,
      server: server.entry.id,
      destructiveHint: isJsonObject(annotations) && annotations["destructiveHint"] === true,
      pinned: tool.status === "ok",
      digest: tool.digest,
      argumentsChecked: settingsOf(server.entry, tool.name).arguments ?? "types",
    },
    rows,
  );
}

function riskRows(engine: Engine | undefined): RiskRows {
  const regate: unknown = engine?.data["regate"];
  const risk = isJsonObject(regate) ? regate["risk"] : undefined;
  return isJsonObject(risk) ? risk : {};
}

/** What is known of a message that belongs to no tool. */
export function serverFacts(server: Upstream<Owner> | undefined): ToolFacts {
  return upstreamFacts(
    { wireName: "", name: "", server: server?.entry.id ?? "", destructiveHint: false, pinned: false },
    {} satisfies JsonObject,
  );
}
