import { RUN_SHELL } from "./make-call.ts";
import type { Risk, ShellAnalysis, ToolFacts } from "./tool-call.ts";

/** What is declared about a command: the row of the risk table (design §6 and §7; reference: identity gate, risk classification). */
export interface DeclaredFlags {
  /** Changes nothing. */
  readonly read_only: boolean;
  /** Can destroy what exists; run_shell, whose commands are classified one by one, is declared by the worst that it can do. */
  readonly destructive: boolean;
  readonly handoff: boolean;
  readonly live_write: boolean;
  /** Reaches beyond this machine. */
  readonly open_world: boolean;
}

/** Name and key of the one tool that calls others by their keys (design §6). */
export const EXECUTE = "execute";

/** A row of `DECLARED_RISK`: the flags, and the registry key of the command; null for a console tool. */
export interface DeclaredRow extends DeclaredFlags {
  readonly command_key: string | null;
}

/**
 * Flags by command key, or by wire name where a tool has no key: the form of `regate.risk` in a bundle's data. It is plain JSON:
 * a flag that a row leaves out is not set, and one that is no boolean counts against the tool.
 */
export type RiskRows = Readonly<Record<string, unknown>>;

/** Names of the flags, to find misspelt ones: a flag that nobody reads would be none. */
export const RISK_FLAGS: ReadonlySet<string> = new Set<keyof DeclaredFlags>([
  "read_only",
  "destructive",
  "handoff",
  "live_write",
  "open_world",
]);

const MUTATING: DeclaredFlags = { read_only: false, destructive: false, handoff: false, live_write: false, open_world: false };
const READ: DeclaredFlags = { ...MUTATING, read_only: true };

/**
 * The declared risk of every local tool by wire name (design §6 and §7). Mutability comes from this table alone, never from a name
 * or from what a tool says about itself; what has no row counts as mutating.
 */
export const DECLARED_RISK: ReadonlyMap<string, DeclaredRow> = new Map(
  Object.entries<DeclaredRow>({
    run_shell: { command_key: "run_shell", ...MUTATING, destructive: true, open_world: true },
    eval_starlark: { command_key: "eval_starlark", ...MUTATING, open_world: true },
    list_sessions: { command_key: "list_sessions", ...READ },
    cloud_query: { command_key: "cloud_query", ...READ, open_world: true },
    audit_log: { command_key: "audit_log", ...READ },
    admin_list_sessions: { command_key: "admin_list_sessions", ...READ },
    admin_list_approvals: { command_key: "admin_list_approvals", ...READ },
    admin_list_recordings: { command_key: "admin_list_recordings", ...READ },
    admin_list_elevations: { command_key: "admin_list_elevations", ...READ },
    admin_list_leases: { command_key: "admin_list_leases", ...READ },
    admin_explain: { command_key: "admin_explain", ...READ },
    identity_status: { command_key: "identity_status", ...READ },
    identity_device_login: { command_key: "identity_device_login", ...MUTATING, open_world: true },
    whoami: { command_key: null, ...READ },
    harness_load: { command_key: null, ...READ },
    config_profile_status: { command_key: "config.profile.status", ...READ },
    overview_status: { command_key: "overview.status", ...READ },
    config_switch: { command_key: "config.switch", ...MUTATING },
    config_profile_create: { command_key: "config.profile.create", ...MUTATING },
    config_profile_sandbox_use: { command_key: "config.profile.sandbox.use", ...MUTATING },
    config_profile_rename: { command_key: "config.profile.rename", ...MUTATING },
    config_profile_edit: { command_key: "config.profile.edit", ...MUTATING },
    search: { command_key: "search", ...READ },
    describe: { command_key: "describe", ...READ },
    execute: { command_key: "execute", ...READ },
  }).map(([name, row]) => [name, Object.freeze(row)]),
);

/**
 * The declared facts of a tool, frozen. `rows` are the bundle's own (`regate.risk`): they declare tools that this table does not
 * know, and can make a declared one only stricter. A tool that nobody declared is unknown, and so mutating; its name is its key, unless
 * that is the key of another tool: `config.switch` is no tool, and must not count as a switch.
 * @param name wire name, compared exactly
 */
export function factsOf(name: string, rows: RiskRows = {}): ToolFacts {
  const declared = DECLARED_RISK.get(name);
  const key = declared === undefined ? keyOfUndeclared(name) : declared.command_key;
  const row = declared === undefined && key === null ? undefined : rowOf(rows, key ?? name);
  const given = [declared, row].filter((one) => one !== undefined);
  return Object.freeze({
    name,
    command_key: key,
    source: "local",
    server: "",
    known: given.length > 0,
    ...(given.length > 0 ? strictest(given) : MUTATING),
    pinned: false,
  });
}

/** The built-in rows by command key, for whoever knows a command by its key alone. */
const DECLARED_BY_KEY: ReadonlyMap<string | null, DeclaredRow> = new Map([...DECLARED_RISK.values()].map((row) => [row.command_key, row]));

/**
 * Whether a command is declared to change nothing: read-only, neither destructive nor a write to a live system; false when nobody declares it.
 * @param commandKey compared exactly
 * @param rows own declarations by command key; beside a built-in row the stricter word counts
 */
export function isDeclaredReadOnly(commandKey: string, rows: RiskRows = {}): boolean {
  const given = [DECLARED_BY_KEY.get(commandKey), rowOf(rows, commandKey)].filter((row) => row !== undefined);
  if (given.length === 0) return false;
  const { read_only, destructive, live_write } = strictest(given);
  return read_only && !destructive && !live_write;
}

/** The facts of a tool that does not exist, whatever it is called: unknown, and so mutating. */
export function unknownFacts(name: string): ToolFacts {
  return Object.freeze({ name, command_key: keyOfUndeclared(name), source: "local", server: "", known: false, ...MUTATING, pinned: false });
}

/** The name is the key, unless it is the key of a declared tool. */
function keyOfUndeclared(name: string): string | null {
  return DECLARED_BY_KEY.has(name) ? null : name;
}

/**
 * The class of one call (seed 003, governed tools; design §7): `unknown` for an undeclared tool; for run_shell `mutable` when its
 * command is clear, else `destructive`, also when nobody analysed it; for every other tool from its declared flags.
 */
export function riskClass(facts: ToolFacts, shell?: ShellAnalysis): Risk {
  if (facts.source === "upstream") return upstreamClass(facts);
  if (!facts.known) return "unknown";
  if (facts.name === RUN_SHELL) return shell?.verdict === "clear" ? "mutable" : "destructive";
  if (facts.destructive || facts.live_write) return "destructive";
  return facts.read_only ? "read" : "mutable";
}

/** An undeclared tool of an upstream server is mutable, or destructive when it says so itself (reference/gateway.md, Refusals and codes). */
function upstreamClass({ known, destructive, live_write, read_only }: ToolFacts): Risk {
  if (destructive || live_write) return "destructive";
  return known && read_only ? "read" : "mutable";
}

/** A tool of an upstream server. */
export interface UpstreamToolFacts {
  /** Wire name. */
  readonly wireName: string;
  /** The server's own name for it. */
  readonly name: string;
  readonly server: string;
  /** The server's own hint; it can only make the tool stricter. */
  readonly destructiveHint: boolean;
  readonly pinned: boolean;
  readonly digest?: string | undefined;
  readonly argumentsChecked?: "types" | "full" | "off" | undefined;
}

/**
 * The declared facts of an upstream's tool. The rows of the bundle's data declare it by `<server id>__<name>`, or by its wire name where no
 * local tool has that name or key; beside each other the stricter word counts. Hints of the server can only tighten.
 */
export function upstreamFacts(tool: UpstreamToolFacts, rows: RiskRows = {}): ToolFacts {
  const { wireName, name, server, destructiveHint, pinned, digest, argumentsChecked } = tool;
  const joined = `${server}__${name}`;
  const key = DECLARED_RISK.has(wireName) || DECLARED_BY_KEY.has(wireName) ? joined : wireName;
  const given = [...new Set([joined, key])].map((one) => rowOf(rows, one)).filter((row) => row !== undefined);
  const flags = given.length > 0 ? strictest(given) : MUTATING;
  return Object.freeze({
    name,
    command_key: key,
    source: "upstream",
    server,
    known: given.length > 0,
    ...flags,
    destructive: flags.destructive || destructiveHint,
    pinned,
    ...(digest === undefined ? {} : { digest }),
    ...(argumentsChecked === undefined ? {} : { arguments_checked: argumentsChecked }),
  });
}

function rowOf(rows: RiskRows, key: string): Readonly<Record<string, unknown>> | undefined {
  if (!Object.hasOwn(rows, key)) return undefined;
  const row = rows[key];
  return typeof row === "object" && row !== null ? { ...row } : {};
}

function strictest(rows: readonly { readonly [flag in keyof DeclaredFlags]?: unknown }[]): DeclaredFlags {
  const isSet = (flag: keyof DeclaredFlags): boolean => rows.some((row) => row[flag] !== undefined && row[flag] !== false);
  return {
    read_only: rows.every((row) => row.read_only === true),
    destructive: isSet("destructive"),
    handoff: isSet("handoff"),
    live_write: isSet("live_write"),
    open_world: isSet("open_world"),
  };
}
