import type { Choice, VerbProgram, VerbRow } from "./types.ts";
import { cells } from "../arguments.ts";

/** A `VerbRow` with its cells taken apart. */
export interface CompiledRow {
  readonly rule: string;
  readonly verbs: readonly (readonly string[])[];
  readonly options: readonly string[];
  readonly value: RegExp | undefined;
  readonly operand: RegExp | undefined;
  readonly first: boolean;
  readonly unless: readonly string[];
  readonly choice: Choice | undefined;
}

/** A `VerbProgram` ready for use. */
export interface CompiledProgram {
  readonly family: string;
  readonly valued: ReadonlySet<string>;
  readonly after: ReadonlyMap<string, ReadonlySet<string>>;
  readonly single: boolean;
  readonly data: boolean;
  readonly rows: readonly CompiledRow[];
  readonly anywhere: ReadonlySet<string>;
  readonly dryRun: readonly string[];
  readonly dryRunVerbs: ReadonlySet<string> | undefined;
}

/** Takes a program's cells apart once, at start. */
export function compileProgram(program: VerbProgram): CompiledProgram {
  // An option whose value a row looks at takes one.
  const looked = program.rows.flatMap((row) => (row.value === undefined ? [] : cells(row.options)));
  const after = Object.entries(program.after ?? {}).flatMap(([verbs, list]) => verbs.split("|").map((verb) => [verb, list] as const));
  return {
    family: program.family,
    valued: new Set([...cells(program.valued), ...looked]),
    after: new Map(after.map(([verb, list]) => [verb, new Set([...cells(list), ...looked])])),
    single: program.single === true,
    data: program.data === true,
    rows: program.rows.map((row) => compileRow(program.family, row)),
    anywhere: new Set(cells(program.anywhere?.verbs)),
    dryRun: cells(program.dryRun),
    dryRunVerbs: program.dryRunVerbs === undefined ? undefined : new Set(cells(program.dryRunVerbs)),
  };
}

function compileRow(family: string, row: VerbRow): CompiledRow {
  return {
    rule: ruleOf(family, row),
    verbs: cells(row.verbs).map((cell) => cell.split("|")),
    options: cells(row.options),
    value: row.value,
    operand: row.operand,
    first: row.first === true,
    unless: cells(row.unless),
    choice: row.choice,
  };
}

/** The rule id of a row, such as `destructive.git.push-force`. */
export function ruleOf(family: string, row: Pick<VerbRow, "id" | "verdict">): string {
  return `${row.verdict ?? "destructive"}.${family}.${row.id}`;
}
