import { cells, fixedSyntax, readArguments } from "./arguments.ts";
import { judgeAssignmentWord } from "./assignments.ts";
import { joinArgs, judgeCode } from "./nested.ts";
import { type Arg, type Call, type Run, report } from "./state.ts";
import type { SubcommandRow } from "./tables/subcommand-wrappers.ts";
import { judgeProgramWords } from "./wrappers.ts";

/** A `SubcommandRow` ready for use. */
export interface CompiledSubcommand extends Omit<SubcommandRow, "verbs" | "valued" | "code"> {
  readonly verbs: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly code: readonly string[];
}

/** Takes a row's cells apart once, at start. */
export function compileSubcommand(row: SubcommandRow): CompiledSubcommand {
  const code = cells(row.code);
  return { ...row, verbs: new Set(cells(row.verbs)), valued: new Set([...cells(row.valued), ...code]), code };
}

/** Judges the program that stands after a word of its runner, and code given to the runner's options. */
export function judgeSubcommand(run: Run, call: Call, duty: { readonly row: CompiledSubcommand }): void {
  const { row } = duty;
  for (const [index, arg] of call.args.entries()) if (arg.text !== "--") judgeCodeOption(run, { call, row }, index);
  const verb = call.args.findIndex((arg) => row.verbs.has(arg.text));
  if (verb === -1) return;
  const rest = call.args.slice(verb + 1);
  const given = readArguments(rest, fixedSyntax(row.valued, { stop: true }));
  let program = rest.slice((given.operands[0]?.index ?? rest.length) + (row.skip ?? 0));
  if (program[0]?.text === "--") program = program.slice(1);
  while (row.assigns === true && program[0] !== undefined && judgeAssignmentWord(run, program[0])) program = program.slice(1);
  judgeStarted(run, { call, row }, program);
}

function judgeStarted(run: Run, { call, row }: { call: Call; row: CompiledSubcommand }, program: readonly Arg[]): void {
  const joined = row.joins === true ? joinArgs(program) : undefined;
  if (joined !== undefined) judgeCode(run, { arg: joined, call }, { fresh: true });
  else if (program.length > 0) judgeProgramWords(run, call, program);
}

function judgeCodeOption(run: Run, { call, row }: { call: Call; row: CompiledSubcommand }, index: number): void {
  const option = call.args[index]!;
  const [name = "", attached] = option.text.split(/=(.*)/s, 2);
  if (!row.code.includes(name)) return;
  const arg = attached === undefined ? call.args[index + 1] : { ...option, text: attached };
  if (arg === undefined) report(run, "unverifiable.dynamic-code", option);
  else judgeCode(run, { arg, call }, { fresh: true });
}
