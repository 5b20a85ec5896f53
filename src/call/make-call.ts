import { frozenCopy } from "./frozen-copy.ts";
import type { ArgumentProblem } from "./frozen-copy.ts";
import type { JsonObject } from "./json.ts";
import type { CallPath, Risk, ShellAnalysis, ToolCall, ToolFacts } from "./tool-call.ts";

/** Name of the one tool whose commands are analysed and whose `dry_run` counts (design §5). */
export const RUN_SHELL = "run_shell";

/** Longest tool name that is judged; longer ones are cut for the log and refused. */
const MAX_NAME = 1024;

/** A call at the door: what came, and the declared knowledge that classifies it. */
export interface CallParts {
  readonly tool: string;
  readonly arguments: unknown;
  readonly path: CallPath;
  /** RFC 3339 UTC time at which the call entered the corridor. */
  readonly time: string;
  readonly factsOf: (tool: string) => ToolFacts;
  readonly analyse: (command: string) => ShellAnalysis;
  readonly riskOf: (facts: ToolFacts, shell: ShellAnalysis | undefined) => Risk;
}

/** The immutable call, and why its arguments cannot be judged, if so: then the call carries none of them. */
export interface MadeCall {
  readonly call: ToolCall;
  readonly problem?: ArgumentProblem;
  /** Decision id of the call that made this one, if one did. */
  readonly parent?: string;
  readonly delegated?: DelegatedPart;
}

/** Of a call that came in through the tools service: identity from its session record, what its message claimed, who was active in its session. */
export interface DelegatedPart {
  readonly subject: Readonly<JsonObject>;
  readonly envelope?: Readonly<JsonObject>;
  readonly session?: {
    readonly identity: { readonly identity_confirmed: boolean; readonly confirmed_profile: string | null; readonly epoch: number };
    readonly profile: { readonly active: string | null };
  };
}

/** A command that nobody can read: counts as destructive (design §5). */
const UNREADABLE: ShellAnalysis = Object.freeze({
  verdict: "unverifiable",
  verifiable: false,
  destructive: true,
  findings: Object.freeze([]),
  commands: Object.freeze([]),
  redirects: Object.freeze([]),
});

/** No command at all: nothing can run, and the handler stage refuses the call on every path. */
export const NO_COMMAND: ShellAnalysis = Object.freeze({
  verdict: "clear",
  verifiable: true,
  destructive: false,
  findings: Object.freeze([]),
  commands: Object.freeze([]),
  redirects: Object.freeze([]),
});

/**
 * Builds the one immutable ToolCall that every later stage sees (design §1). Never throws for what the caller sent: arguments out of
 * bounds leave a call with empty arguments and a `problem`, so that it can still be gated by name, refused and logged.
 * Nothing in the arguments reaches anything but `arguments`, `shell` and, for run_shell alone, `dryRun` (law 8).
 */
export function makeCall(parts: CallParts): MadeCall {
  const { path, time, factsOf, riskOf } = parts;
  const copy = frozenCopy(parts.arguments);
  const named = isNameable(parts.tool);
  const tool = named ? parts.tool : loggable(parts.tool);
  const facts = factsOf(tool);
  const args: Readonly<JsonObject> = copy.ok ? copy.value : Object.freeze({});
  const isShell = isLocalShell(tool, facts);
  const shell = isShell ? analysisOf(copy.ok ? args : undefined, parts.analyse) : undefined;
  const call: ToolCall = Object.freeze({
    tool,
    arguments: args,
    path,
    time,
    facts,
    risk: riskOf(facts, shell),
    dryRun: isShell && args["dry_run"] === true,
    ...(shell === undefined ? {} : { shell }),
  });
  const problem = copy.ok ? (named ? undefined : "malformed") : copy.problem;
  return problem === undefined ? { call } : { call, problem };
}

/** The local tool alone: what an upstream server calls so is a tool like any other (reference/gateway.md, Decisions). */
export function isLocalShell(tool: string, { source }: Pick<ToolFacts, "source">): boolean {
  return tool === RUN_SHELL && source === "local";
}

function analysisOf(args: Readonly<JsonObject> | undefined, analyse: (command: string) => ShellAnalysis): ShellAnalysis {
  if (args === undefined) return UNREADABLE;
  const command = args["command"];
  return typeof command === "string" ? analyse(command) : NO_COMMAND;
}

function isNameable(tool: string): boolean {
  return tool.length <= MAX_NAME && tool.isWellFormed();
}

/** A name that can be written down: it never equals a real one, because it holds U+FFFD. */
function loggable(tool: string): string {
  return `${tool.slice(0, MAX_NAME).toWellFormed()}\ufffd`;
}
