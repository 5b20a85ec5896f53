import { isJsonObject } from "../call/json.ts";
import { factsOf } from "../call/risk-table.ts";
import type { RiskRows } from "../call/risk-table.ts";
import type { ToolFacts } from "../call/tool-call.ts";
import type { Engine } from "../policy/engine.ts";

const FLAGS = ["read_only", "destructive", "handoff", "live_write", "open_world"] as const;

/**
 * The declared facts of every tool: the built-in table, the rows of the bundle's data (`regate.risk`) and those of the embedder. Where two
 * of them speak of one tool the stricter word counts; of a tool that none knows nothing is known, so it is mutating.
 * @param engine its bundle's rows are read; absent when none is bound
 * @param own rows of the embedder, by command key or wire name
 */
export function declaredFacts(engine: Engine | undefined, own: RiskRows = {}): (tool: string) => ToolFacts {
  const rows = new Map<string, unknown>(Object.entries(bundleRows(engine)));
  for (const [key, row] of Object.entries(own)) rows.set(key, rows.has(key) ? stricter(rows.get(key), row) : row);
  const all = Object.fromEntries(rows);
  return (tool) => factsOf(tool, all);
}

function bundleRows(engine: Engine | undefined): RiskRows {
  const regate = engine?.data["regate"];
  const risk = isJsonObject(regate) ? regate["risk"] : undefined;
  return isJsonObject(risk) ? risk : {};
}

/** What is no row counts against the tool on every flag, as `factsOf` has it. */
function stricter(one: unknown, other: unknown): Readonly<Record<string, unknown>> {
  const [a, b] = [rowOf(one), rowOf(other)];
  const flags = FLAGS.map((flag) => [flag, flag === "read_only" ? a[flag] === true && b[flag] === true : isSet(a[flag]) || isSet(b[flag])]);
  return Object.fromEntries(flags) as Record<string, unknown>;
}

function rowOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function isSet(flag: unknown): boolean {
  return flag !== undefined && flag !== false;
}
