import type { ShellAnalysis } from "../call/tool-call.ts";
import { tidyFindings, verdictOf } from "./findings.ts";
import { judge } from "./judge.ts";
import { parseScript } from "./parse.ts";
import { refuseText } from "./precheck.ts";
import { type Run, type Scope, report } from "./state.ts";
import { SHIPPED_TABLES, type ShellTables } from "./tables/build.ts";
import { matchText } from "./text-match.ts";
import { walkScript } from "./walk.ts";

/** How to analyse. */
export interface AnalyseOptions {
  /** `text` adds the seed's literal reading, a lower-cased substring search; default `words`. */
  readonly match?: "words" | "text";
  /** Tables of an operator (`loadShellTables`); default as shipped. */
  readonly tables?: ShellTables | undefined;
  /** `unverifiable` where no sandbox keeps git's configured helpers harmless (trials C03); default `trusted`. */
  readonly gitHelpers?: "trusted" | "unverifiable";
}

const ROOT: Scope = { depth: 0, nesting: 0, via: [], stdin: { kind: "inherited" }, span: undefined, certain: true, soft: false };

/**
 * Analyses a command for bash: what it would run, and whether that destroys something, without running anything (design §5,
 * reference: shell.md §5). The verdict is the worst finding's: `destructive`, `unverifiable` (to be treated like destructive) or `clear`.
 * `destructive` is true for the first alone; `verifiable` is false when anything could not be read. Never throws: a fault is unverifiable.
 */
export function analyseCommand(command: string, options: AnalyseOptions = {}): ShellAnalysis {
  const run = newRun(options);
  const refusal = refuseText(command);
  const whole = { start: 0, end: refusal === "unverifiable.not-text" ? 0 : command.length, text: "" };
  if (refusal !== undefined) report(run, refusal, whole);
  else walkSafely(run, command);
  const text = options.match === "text" && whole.end <= MAX_SEARCHED && whole.end > 0 ? matchText(command) : [];
  const findings = tidyFindings([...run.findings, ...text]);
  return {
    verdict: verdictOf(findings),
    verifiable: run.findings.every((finding) => finding.verdict !== "unverifiable"),
    destructive: verdictOf(findings) === "destructive",
    findings,
    commands: run.commands,
    redirects: run.redirects,
  };
}

const MAX_SEARCHED = 1_048_576;

/** A fault of ours, an exhausted stack included, must not let a command pass. */
function walkSafely(run: Run, command: string): void {
  try {
    walkScript(run, parseScript(command), ROOT);
  } catch {
    report(run, "unverifiable.fault", { start: 0, end: command.length, text: "" });
  }
}

function newRun(options: AnalyseOptions): Run {
  return {
    tables: options.tables ?? SHIPPED_TABLES,
    gitHelpers: options.gitHelpers ?? "trusted",
    doors: { judge, script: walkScript },
    findings: [],
    commands: [],
    redirects: [],
    variables: new Map(),
    unsteady: new Set(),
    functions: new Set(),
    aliased: false,
    crowded: false,
    stdinMoved: false,
    ifsChanged: false,
  };
}
