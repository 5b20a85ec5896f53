import type { ShellCommand, ShellFinding, ShellRedirect, ShellWord } from "../call/tool-call.ts";
import type { ParsedScript } from "./parse.ts";
import type { ShellTables } from "./tables/build.ts";

/** Stands in an argument's text for what cannot be read statically; no table holds it, so it never matches a name. */
export const UNKNOWN = "\u{E000}";

/** UTF-16 offsets in the command as given. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One word after dequoting; `text` has `UNKNOWN` where an expansion is not known, `raw` is the source text. */
export interface Arg extends Span {
  readonly text: string;
  readonly raw: string;
  readonly dynamic: boolean;
  /** An unquoted pattern: the files that it names are not known. */
  readonly glob: boolean;
  /** What is not known in it is what a wrapper puts in place of a mark (`{}` of find and xargs): one word, in a text that is known. */
  readonly slot?: true;
}

/** What a command reads: nothing that we know of, a known text, or something that cannot be known. */
export type Stdin = { readonly kind: "inherited" } | { readonly kind: "text"; readonly text: string } | { readonly kind: "unknown" };

/** Where in the script we are. */
export interface Scope {
  /** Levels of nested code (`sh -c`, `eval`, …) above this one. */
  readonly depth: number;
  /** Levels of substitutions above this one. */
  readonly nesting: number;
  /** Wrappers passed through so far, outermost first. */
  readonly via: readonly string[];
  readonly stdin: Stdin;
  /** Set inside nested code, whose own offsets mean nothing to the reader. */
  readonly span: Span | undefined;
  /** Assignments here happen exactly once and in source order. */
  readonly certain: boolean;
  /** Known values may have been replaced before this runs (loops, functions). */
  readonly soft: boolean;
}

/** A simple command in execution position, ready to be judged. */
export interface Call {
  /** Lower-cased base name of the command word. */
  readonly name: string;
  readonly argv: readonly Arg[];
  readonly args: readonly Arg[];
  readonly scope: Scope;
}

/** The value of a variable as the script has set it; `certain` when no other value is possible. */
export interface Known {
  readonly value: string;
  readonly certain: boolean;
}

/** How the rooms' parts call each other without importing each other. */
export interface Doors {
  readonly judge: (run: Run, argv: readonly Arg[], scope: Scope) => void;
  readonly script: (run: Run, script: ParsedScript, scope: Scope) => void;
}

/** One analysis in progress. */
export interface Run {
  readonly tables: ShellTables;
  readonly gitHelpers: "trusted" | "unverifiable";
  readonly doors: Doors;
  readonly findings: ShellFinding[];
  readonly commands: ShellCommand[];
  readonly redirects: ShellRedirect[];
  readonly variables: Map<string, Known>;
  /** Variables that a function, a loop or a trap sets: never certain again. */
  readonly unsteady: Set<string>;
  readonly functions: Set<string>;
  /** An alias was defined: later command words may mean something else. */
  aliased: boolean;
  /** `exec < FILE`: what later commands inherit is not known. */
  stdinMoved: boolean;
  /** More commands than are listed. */
  crowded: boolean;
  /** IFS was assigned: how values split is not known. */
  ifsChanged: boolean;
}

/** Deepest nesting of substitutions that is followed; the parser reads each level anew. */
export const MAX_NESTING = 16;

const MAX_WORD = 200;
const MAX_COMMANDS = 1024;

/** Adds a finding; `where` is the node or word that it is about. */
export function report(run: Run, rule: string, where: Span & { readonly text?: string; readonly raw?: string }): void {
  const verdict = rule.startsWith("unverifiable.") ? "unverifiable" : "destructive";
  const word = shorten((where.text ?? "").includes(UNKNOWN) ? shown(where.raw ?? "") : (where.text ?? ""));
  run.findings.push({ rule, verdict, word, start: where.start, end: where.end });
}

/** Cuts a word for display at a code-point border. */
function shorten(word: string): string {
  return word.length <= MAX_WORD ? word : `${word.slice(0, MAX_WORD).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** The same word with another text (an option's value, a word of a string). */
export function withText(arg: Arg, text: string): Arg {
  return { text, raw: arg.raw, dynamic: arg.dynamic, glob: arg.glob, start: arg.start, end: arg.end };
}

/** Records a simple command for policy; too many are a finding, so that no rule over "every command" holds over a part. */
export function recordCommand(run: Run, name: string, call: Pick<Call, "argv" | "scope">): void {
  if (run.commands.length < MAX_COMMANDS) {
    run.commands.push({ name, argv: call.argv.map(toWord), via: call.scope.via });
    return;
  }
  if (run.crowded) return;
  run.crowded = true;
  const first = call.argv[0] ?? call.scope.span ?? { start: 0, end: 0 };
  report(run, "unverifiable.too-many-commands", { start: first.start, end: first.end, text: name });
}

/** A word as policy sees it: text, or a marked dynamic word. */
export function toWord(arg: Arg): ShellWord {
  return arg.dynamic || arg.glob ? { dynamic: true, text: shown(arg.raw) } : arg.text;
}

/** Source text for people; in code that is known in part only, the gaps are dots. */
function shown(raw: string): string {
  return raw.replaceAll(UNKNOWN, "…");
}
