import type { JsonObject, JsonValue } from "./json.ts";
import type { Place, Problem } from "./protocol.ts";

/** One case of a parameterised test (`test_x[note]`); `leaf` is false for a group of cases. */
export interface SubResult {
  readonly path: readonly string[];
  readonly status: "pass" | "fail";
  readonly leaf: boolean;
}

/** One test. Its identity is file and row: OPA numbers equal names. */
export interface TestResult {
  readonly package: string;
  readonly name: string;
  readonly location: Place;
  readonly status: "pass" | "fail" | "skip" | "error";
  readonly error?: readonly Problem[];
  /** What the test printed. */
  readonly output?: string;
  readonly duration_ns: number;
  readonly trace?: string;
  readonly sub_results?: readonly SubResult[];
}

/** Lines from start to end, both counted. */
export interface CoverageRange {
  readonly start: { readonly row: number; readonly col?: number };
  readonly end: { readonly row: number; readonly col?: number };
  readonly kind?: string;
}

export interface CoverageFile {
  readonly covered?: readonly CoverageRange[];
  readonly not_covered?: readonly CoverageRange[];
  readonly covered_lines?: number;
  readonly not_covered_lines?: number;
  /** Percent, two decimals. */
  readonly coverage?: number;
}

/** OPA's coverage report as it is printed by `opa test --coverage`. */
export interface CoverageReport {
  readonly files: Readonly<Record<string, CoverageFile>>;
  readonly covered_lines: number;
  readonly not_covered_lines: number;
  readonly coverage: number;
}

export interface TestReport {
  /** Sorted by file, row and column. */
  readonly tests: readonly TestResult[];
  /** Text of `opa test`, or of `opa test --format json` when that was asked for. */
  readonly text: string;
  /** Only when it was asked for and no test failed. */
  readonly coverage?: CoverageReport;
}

export interface FormatResult {
  /** Path → formatted text of each file that can be formatted. */
  readonly formatted: ReadonlyMap<string, string>;
  /** Errors of the others. */
  readonly errors: readonly Problem[];
}

export interface Evaluation {
  /** OPA's result set: `[]` is undefined. */
  readonly result: readonly {
    readonly expressions: readonly { readonly value: JsonValue; readonly text: string }[];
    readonly bindings?: JsonObject;
  }[];
  /** What `print` wrote. */
  readonly output: string;
  readonly explanation?: string;
  readonly coverage?: CoverageReport;
}

/** One expression of a body, as its author wrote it. */
export interface TriedCondition {
  readonly file: string;
  readonly row: number;
  readonly col: number;
  /** Rules and data that the expression asks, by reference. */
  readonly refs?: readonly string[];
  readonly negated?: boolean;
  /** It was undefined or false. */
  readonly failed?: boolean;
}

/** One try of a rule, or of a body inside an expression (negation, comprehension), in the order of evaluation. */
export interface Attempt {
  /** Reference of the rule; absent for a body. */
  readonly rule?: string;
  readonly file?: string;
  readonly row?: number;
  /** Index of the attempt that tried this one and of the condition there; -1 for the query itself. */
  readonly parent: number;
  readonly condition: number;
  readonly held: boolean;
  /** What a rule that held added to its set. */
  readonly values?: readonly JsonValue[];
  readonly conditions?: readonly TriedCondition[];
}

/** How a query came to its result. */
export interface Explanation {
  readonly result: Evaluation["result"];
  readonly attempts: readonly Attempt[] | null;
  /** There were more attempts than are listed. */
  readonly truncated: boolean;
}

/** One answer of a prepared query; `text` is the line as the toolchain wrote it, with numbers as OPA writes them. */
export type Answer =
  | { readonly kind: "result"; readonly value: JsonValue; readonly text: string }
  | { readonly kind: "undefined" }
  | { readonly kind: "error"; readonly message: string };

/** Reads one line of a `many` answer. */
export function parseAnswer(line: string): Answer {
  const answer = JSON.parse(line) as { result?: JsonValue; error?: string };
  if (answer.error !== undefined) return { kind: "error", message: answer.error };
  return answer.result !== undefined
    ? { kind: "result", value: answer.result, text: line.slice('{"result":'.length, -1) }
    : { kind: "undefined" };
}
