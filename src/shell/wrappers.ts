import { type Arguments, type Option, cells, fixedSyntax, hasOption, readArguments } from "./arguments.ts";
import { judgeAssignmentWord } from "./assignments.ts";
import { joinArgs, judgeCode } from "./nested.ts";
import { type Arg, type Call, type Run, recordCommand, report } from "./state.ts";
import type { WrapperRow } from "./tables/types.ts";
import { judgeTrial, mayBeProgram } from "./unknown.ts";

/** A `WrapperRow` ready for use. */
export interface CompiledWrapper extends Omit<WrapperRow, "valued" | "code" | "inert" | "after" | "shell"> {
  readonly valued: ReadonlySet<string>;
  readonly code: readonly string[];
  readonly inert: readonly string[];
  readonly after: ReadonlySet<string>;
  readonly shell: readonly string[];
}

/** Takes a wrapper's cells apart once, at start. Options with code take a value too. */
export function compileWrapper(row: WrapperRow): CompiledWrapper {
  const code = cells(row.code);
  return {
    ...row,
    valued: new Set([...cells(row.valued), ...code]),
    code,
    inert: cells(row.inert),
    after: new Set(cells(row.after)),
    shell: cells(row.shell),
  };
}

/** Peels a wrapper's own options and judges the program that it runs (reference: shell.md §6, "Wrappers"). */
export function judgeWrapper(run: Run, call: Call, duty: { readonly row: CompiledWrapper }): void {
  const { row } = duty;
  if (row.acts === true) recordCommand(run, call.name, call);
  const given = readArguments(call.args, fixedSyntax(row.valued, { stop: row.after.size === 0, single: row.single }));
  if (hasOption(given, row.inert)) return;
  const rest = programWords(row, given, call.args);
  // Nothing is skipped that is itself a program: the table may be wrong about this build of the wrapper.
  if ((row.skip ?? 0) > 0 && rest.length > 1 && mayBeProgram(run, rest[0]!)) judgeTrial(run, call, rest);
  const [program, between] = skipOperands(run, row, rest);
  const options = [...given.options, ...between];
  const code = options.filter((option) => row.code.includes(option.name));
  for (const option of code) judgeOptionCode(run, call, option);
  if (program.length > 0) return judgeRest(run, { call, row }, program);
  const interactive = row.bare === "shell" || options.some((option) => row.shell.includes(option.name));
  if (code.length === 0 && interactive) report(run, "unverifiable.interactive-shell", call.argv[0]!);
}

function judgeOptionCode(run: Run, call: Call, option: Option): void {
  if (option.value === undefined) return report(run, "unverifiable.dynamic-code", option.arg);
  judgeCode(run, { arg: option.value, call }, { fresh: true });
}

/** The words from the wrapped program on, with whatever must still be skipped before it. */
function programWords(row: CompiledWrapper, given: Arguments, args: readonly Arg[]): readonly Arg[] {
  if (row.after.size === 0) return given.operands.length === 0 ? [] : args.slice(given.operands[0]!.index);
  const dashes = row.after.has("--") ? args.findIndex((arg) => arg.text === "--") : -1;
  const index = dashes === -1 ? args.findIndex((arg) => row.after.has(arg.text)) : dashes;
  return index === -1 ? [] : args.slice(index + 1);
}

/** The program's words, and the options that stood between the skipped words and it (`flock FILE -c CODE`). */
function skipOperands(run: Run, row: CompiledWrapper, rest: readonly Arg[]): [readonly Arg[], readonly Option[]] {
  let words: readonly Arg[] = rest.slice(row.skip ?? 0);
  let options: readonly Option[] = [];
  if (row.after.size > 0 || (row.skip ?? 0) > 0) {
    const given = readArguments(words, fixedSyntax(row.valued, { stop: true, single: row.single }));
    options = given.options;
    words = given.operands.length === 0 ? [] : words.slice(given.operands[0]!.index);
  }
  while (row.assigns === true && words[0] !== undefined && judgeAssignmentWord(run, words[0])) words = words.slice(1);
  return [words, options];
}

function judgeRest(run: Run, { call, row }: { call: Call; row: CompiledWrapper }, program: readonly Arg[]): void {
  if (row.joins !== true) return judgeProgramWords(run, call, program);
  // Some builds of a joining program run the words as they are (`watch -x`): both readings count.
  if (program.length > 1) judgeTrial(run, call, program);
  const joined = joinArgs(program);
  if (joined !== undefined) judgeCode(run, { arg: joined, call }, { fresh: true });
}

/** Judges words as a command that `call` runs. */
export function judgeProgramWords(run: Run, call: Call, argv: readonly Arg[]): void {
  run.doors.judge(run, argv, { ...call.scope, via: [...call.scope.via, call.name] });
}
