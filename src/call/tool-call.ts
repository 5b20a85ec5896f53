import type { JsonObject } from "./json.ts";

/** How a call came into the corridor (design §1: every path enters the same corridor). */
export type CallPath = "direct" | "execute" | "script" | "delegated";

/** Risk class of one call (seed 003, governed tools; `unknown` counts as mutating). */
export type Risk = "read" | "mutable" | "destructive" | "unknown";

/** Declared facts about a tool; an undeclared tool is `known: false` and counts as mutating (design §2, field `tool`). */
export interface ToolFacts {
  readonly name: string;
  /** Registry key such as `config.switch`; null for console tools. */
  readonly command_key: string | null;
  readonly source: "local" | "upstream";
  /** Configured server id; `""` for local tools. */
  readonly server: string;
  readonly known: boolean;
  readonly read_only: boolean;
  readonly destructive: boolean;
  readonly handoff: boolean;
  readonly live_write: boolean;
  readonly open_world: boolean;
  readonly pinned: boolean;
  readonly labels?: readonly string[];
  readonly digest?: string;
  /** How the arguments of an upstream's tool are checked before they are forwarded. */
  readonly arguments_checked?: "types" | "full" | "off";
}

/** Analysis of a run_shell command, as policy sees it (design §2, field `shell`; reference/shell.md §3). */
export interface ShellAnalysis {
  readonly verdict: "destructive" | "unverifiable" | "clear";
  readonly verifiable: boolean;
  readonly destructive: boolean;
  readonly findings: readonly ShellFinding[];
  readonly commands: readonly ShellCommand[];
  readonly redirects: readonly ShellRedirect[];
}

/** One finding of the classifier; `start` and `end` are UTF-16 offsets in the command. */
export interface ShellFinding {
  readonly rule: string;
  readonly verdict: "destructive" | "unverifiable";
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** A word of a simple command: dequoted text, or a dynamic word that cannot be read statically. */
export type ShellWord = string | { readonly dynamic: true; readonly text: string };

/** One simple command that the script would run; `via` names the wrappers passed through. */
export interface ShellCommand {
  readonly name: string;
  readonly argv: readonly ShellWord[];
  readonly via: readonly string[];
}

/** One redirect; the target is a word as in `ShellCommand`. */
export interface ShellRedirect {
  readonly op: string;
  readonly target: ShellWord;
}

/** One tool call as every later stage sees it: immutable, built once, never re-read from the wire (design §1). */
export interface ToolCall {
  /** Wire name of the tool (on `execute`: of the inner tool), compared exactly. */
  readonly tool: string;
  /** Arguments exactly as received; deeply frozen. */
  readonly arguments: Readonly<JsonObject>;
  readonly path: CallPath;
  /** RFC 3339 UTC time at which the call entered the corridor. */
  readonly time: string;
  readonly facts: ToolFacts;
  readonly risk: Risk;
  /** True only for run_shell with the strict boolean `dry_run: true`. */
  readonly dryRun: boolean;
  /** Present only for run_shell. */
  readonly shell?: ShellAnalysis;
}
