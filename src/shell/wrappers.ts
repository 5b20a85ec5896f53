import { type Arguments, type Option, cells, fixedSyntax, hasOption, readArguments } from "./arguments.ts";
import { judgeAssignmentWord } from "./assignments.ts";
import { joinArgs, judgeCode } from "./nested.ts";
import { type Arg, type Call, type Run, recordCommand, report } from "./state.ts";
import type { WrapperRow } from "./tables/types.ts";

/** A `WrapperRow` ready for use. */
export interface CompiledWrapper extends Omit<WrapperRow, "valued" | "code" | "inert" | "after"> {
  readonly valued: ReadonlySet<string>;
  readonly code: readonly string[];
  readonly inert: readonly string[];
  readonly after: ReadonlySet<string>;
}

/** Takes a wrapper's cells apart once, at start. Options with code take a value too. */
export function compileWrapper(row: WrapperRow): CompiledWrapper {
  const code = cells(row.code);
  return { ...row, valued: new Set([...cells(row.valued), ...code]), code, inert: cells(row.inert), after: new Set(cells(row.after)) };
}

/** Peels a wrapper's own options and judges the program that it runs (reference: shell.md §6, "Wrappers"). */
export function judgeWrapper(run: Run, call: Call, duty: { readonly row: CompiledWrapper }): void {
  const { row } = duty;
  if (row.acts === true) recordCommand(run, call.name, call);
  const given = readArguments(call.args, fixedSyntax(row.valued, { stop: row.after.size === 0, single: row.single }));
  if (hasOption(given, row.inert)) return;
  const code = given.options.filter((option) => row.code.includes(option.name));
  for (const option of code) judgeOptionCode(run, call, option);
  const rest = programWords(row, given, call.args);
  const program = skipOperands(run, row, rest);
  if (program.length > 0) return judgeRest(run, { call, row }, program);
  if (code.length === 0 && row.bare === "shell") report(run, "unverifiable.interactive-shell", call.argv[0]!);
}

function judgeOptionCode(run: Run, call: Call, option: Option): void {
  if (option.value === undefined) return report(run, "unverifiable.dynamic-code", option.arg);
  judgeCode(run, { arg: option.value, call }, { fresh: true });
}

/** The words from the wrapped program on, with whatever must still be skipped before it. */
function programWords(row: CompiledWrapper, given: Arguments, args: readonly Arg[]): readonly Arg[] {
  if (row.after.size === 0) return given.operands.length === 0 ? [] : args.slice(given.operands[0]!.index);
  const index = args.findIndex((arg) => row.after.has(arg.text));
  return index === -1 ? [] : args.slice(index + 1);
}

function skipOperands(run: Run, row: CompiledWrapper, rest: readonly Arg[]): readonly Arg[] {
  let words: readonly Arg[] = rest.slice(row.skip ?? 0);
  if (row.after.size > 0 || (row.skip ?? 0) > 0) words = skipOptions(row, words);
  while (row.assigns === true && words[0] !== undefined && judgeAssignmentWord(run, words[0])) words = words.slice(1);
  return words;
}

/** Options may stand again between the skipped words and the program (`bundle exec --keep-file-descriptors rake`). */
function skipOptions(row: CompiledWrapper, words: readonly Arg[]): readonly Arg[] {
  const given = readArguments(words, fixedSyntax(row.valued, { stop: true, single: row.single }));
  return given.operands.length === 0 ? [] : words.slice(given.operands[0]!.index);
}

function judgeRest(run: Run, { call, row }: { call: Call; row: CompiledWrapper }, program: readonly Arg[]): void {
  if (row.joins !== true) return judgeProgramWords(run, call, program);
  const joined = joinArgs(program);
  if (joined !== undefined) judgeCode(run, { arg: joined, call }, { fresh: true });
}

/** Judges words as a command that `call` runs. */
export function judgeProgramWords(run: Run, call: Call, argv: readonly Arg[], stdin = call.scope.stdin): void {
  run.doors.judge(run, argv, { ...call.scope, stdin, via: [...call.scope.via, call.name] });
}
