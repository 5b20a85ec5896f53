import type { Outcome, Problem } from "./protocol.ts";
import type { Toolchain } from "./toolchain.ts";

/** What a command works with, beside its options. */
export interface CommandIo {
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** Takes what the command was asked for (standard output of the command line). */
  readonly write: (text: string) => void;
  /** Takes what went wrong; `write` when absent. */
  readonly writeError?: (text: string) => void;
  /** An open toolchain to use; otherwise one is opened, and closed at the end. */
  readonly toolchain?: Toolchain;
}

/** Exit code of a policy command: 0 fine, 1 errors, 2 failed tests or files that need formatting. */
export interface CommandResult {
  readonly exitCode: 0 | 1 | 2;
}

/** One error as `file:row:col: code: message`, with its detail lines indented below. */
export function problemLine({ code, message, location, details }: Problem): string {
  const place = location === undefined ? "" : `${location.file === "" ? "" : `${location.file}:`}${location.row}:${location.col}: `;
  const prefix = code === "error" ? "" : `${code}: `;
  return [`${place}${prefix}${message}`, ...(details ?? []).filter((line) => line !== "").map((line) => `\t${line}`)].join("\n");
}

/** All errors, as text with a count first, or as OPA's JSON. */
export function renderProblems(problems: readonly Problem[], format: "pretty" | "json"): string {
  if (format === "json") return `${JSON.stringify({ errors: problems.map(jsonProblem) }, null, 2)}\n`;
  const count = problems.length === 1 ? "1 error occurred:" : `${problems.length} errors occurred:`;
  return `${[count, ...problems.map(problemLine)].join("\n")}\n`;
}

function jsonProblem({ code, message, location, details }: Problem): object {
  const optional = {
    ...(code === "error" ? {} : { code }),
    ...(location === undefined ? {} : { location }),
    ...(details === undefined ? {} : { details: details.join("\n") }),
  };
  return { message, ...optional };
}

/** Writes a line or more where errors go. */
export function complain(io: CommandIo, text: string): void {
  (io.writeError ?? io.write)(text);
}

/** Writes errors where errors go. */
export function reportProblems(io: CommandIo, problems: readonly Problem[], format: "pretty" | "json" = "pretty"): void {
  complain(io, renderProblems(problems, format));
}

/** Errors of an outcome; the text stands in when OPA gave no list. */
export function problemsOf(outcome: Outcome<unknown> & { ok: false }): readonly Problem[] {
  return outcome.errors.length > 0 ? outcome.errors : [{ code: "error", message: outcome.text }];
}
