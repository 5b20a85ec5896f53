import { type Arguments, type Operand, findOptions, hasOption, isOpenOption, readArguments } from "./arguments.ts";
import { isDryRun } from "./dry-run.ts";
import { type Arg, type Call, type Run, report } from "./state.ts";
import type { CompiledProgram, CompiledRow } from "./tables/compile.ts";
import { SEED_VERBS } from "./tables/seed.ts";
import { DESTROYING_VERBS, NEUTRAL_PREFIXES, NEUTRAL_VERBS } from "./tables/verbs.ts";

/** Takes a program's arguments apart as its table says. */
export function readProgramArguments(program: CompiledProgram, args: readonly Arg[]): Arguments {
  const other = program.after.get("*") ?? program.valued;
  return readArguments(args, {
    single: program.single,
    valued: (operands) => (operands.length === 0 ? program.valued : (program.after.get(operands[0]!.arg.text) ?? other)),
  });
}

/** Judges a call by the rows of its program's table (reference: shell.md §6). */
export function judgeVerbs(run: Run, call: Call, duty: { readonly program: CompiledProgram }): void {
  const { program } = duty;
  const given = readProgramArguments(program, call.args);
  if (isDryRun(program, given)) return judgeHelpers({ run, call, given }, program);
  const starts = given.operands[0]?.doubtful === true ? [0, 1] : [0];
  const before = run.findings.length;
  for (const start of starts) {
    let dynamic: Arg | undefined;
    for (const row of program.rows) dynamic = judgeRow({ run, call, given }, row, start) ?? dynamic;
    if (dynamic !== undefined && start === 0) report(run, "unverifiable.dynamic-verb", dynamic);
    if (!program.data) judgeSeedVerb({ run, call, given }, start, before);
  }
  if (program.anywhere.size > 0) judgeAnywhere(run, ownOperands(call, given.operands), program);
}

/** A dry run destroys nothing itself, but runs the helpers that it is told to run. */
function judgeHelpers(judged: Judged, program: CompiledProgram): void {
  for (const row of program.rows) if (row.rule.startsWith("unverifiable.")) judgeRow(judged, row, 0);
}

interface Judged {
  readonly run: Run;
  readonly call: Call;
  readonly given: Arguments;
}

/** Judges one row; gives the operand that decides it when that cannot be read. */
function judgeRow({ run, call, given }: Judged, row: CompiledRow, start: number): Arg | undefined {
  if (row.choice !== undefined && !run.tables.choices[row.choice]) return undefined;
  const verb = matchVerbs(row.verbs, given.operands, start);
  if (verb === "no") return undefined;
  if (verb !== "yes") return verb;
  if (hasOption(given, row.unless)) return undefined;
  const last = given.operands[start + row.verbs.length - 1]?.arg ?? call.argv[0]!;
  const option = row.options.length === 0 ? last : matchOption({ run, call, given }, row);
  const operand = row.operand === undefined ? option : matchOperand(row, given.operands.slice(start + row.verbs.length));
  if (option !== undefined && operand !== undefined) report(run, row.rule, row.operand === undefined ? option : operand);
  return undefined;
}

function matchVerbs(verbs: CompiledRow["verbs"], operands: readonly Operand[], start: number): "yes" | "no" | Arg {
  for (const [index, alternatives] of verbs.entries()) {
    const arg = operands[start + index]?.arg;
    if (arg === undefined) return "no";
    if (alternatives[0] === "*") continue;
    if (alternatives.some((verb) => isVerb(arg.text, verb))) continue;
    return arg.dynamic || arg.glob ? arg : "no";
  }
  return "yes";
}

function isVerb(text: string, verb: string): boolean {
  return verb.endsWith("*") ? text.startsWith(verb.slice(0, -1)) : text === verb || text.toLowerCase() === verb;
}

function matchOption({ run, given }: Judged, row: CompiledRow): Arg | undefined {
  const found = findOptions(given, row.options);
  const match = row.value === undefined ? found[0] : found.find((option) => row.value!.test(option.value?.text ?? ""));
  if (match !== undefined) return match.arg;
  const open =
    row.value === undefined
      ? given.options.find((option) => isOpenOption(option.arg))
      : found.find((option) => option.value?.dynamic === true);
  if (open !== undefined) report(run, "unverifiable.dynamic-option", open.arg);
  return undefined;
}

function matchOperand(row: CompiledRow, operands: readonly Operand[]): Arg | undefined {
  const last = row.first ? operands.findIndex((operand) => !operand.doubtful) : -1;
  const known = last === -1 ? operands : operands.slice(0, last + 1);
  return known.find((operand) => row.operand!.test(operand.arg.text))?.arg;
}

/** The seed's one-word fragments where a program's first verb stands. */
function judgeSeedVerb({ run, call, given }: Judged, start: number, before: number): void {
  const operand = given.operands[start];
  if (operand === undefined || !SEED_VERBS.has(operand.arg.text.toLowerCase()) || run.findings.length > before) return;
  if (call.args.length > 0) report(run, "destructive.seed-verb", operand.arg);
}

/** Without the command line that `op run -- …` starts. */
function ownOperands(call: Call, operands: readonly Operand[]): readonly Operand[] {
  const dashes = call.args.findIndex((arg) => arg.text === "--");
  const own = dashes === -1 ? operands : operands.filter(({ index }) => index < dashes);
  return own.some(({ arg }) => arg.text === "run" || arg.text === "exec") ? own : operands;
}

/** `list`, `db:list`, `describe-instances`; `ssh-key` and `search-service` are things, whatever they begin with. */
function isNeutral(word: string): boolean {
  return word.split(":").some((part) => NEUTRAL_VERBS.has(part) || (NEUTRAL_PREFIXES.has(part.split("-", 1)[0]!) && part.includes("-")));
}

/** Verbs that count at any depth (`gcloud compute disks delete`), up to a verb that makes the rest data. */
function judgeAnywhere(run: Run, operands: readonly Operand[], program: CompiledProgram): void {
  for (const { arg } of operands) {
    if (arg.dynamic || (arg.glob && !arg.text.includes("/"))) return report(run, "unverifiable.dynamic-verb", arg);
    const word = arg.text.toLowerCase();
    if (!/^[\w:-]+$/.test(word)) continue;
    const parts = word.split(":").flatMap((part) => [part, part.split("-")[0]!]);
    const isNamedVerb = DESTROYING_VERBS.has(word.split("-").at(-1)!);
    if (isNamedVerb || parts.some((part) => program.anywhere.has(part))) return report(run, `destructive.${program.family}.verb`, arg);
    if (isNeutral(word)) return;
  }
}
