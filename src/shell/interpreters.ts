import { cells } from "./arguments.ts";
import { type Arg, type Call, type Run, report } from "./state.ts";
import { CODE_SIGNS, DESTROYING_METHOD } from "./tables/code-signs.ts";
import { SCRIPT_PROGRAMS } from "./tables/scripts.ts";
import type { InterpreterRow } from "./tables/types.ts";
import { judgeProgramWords } from "./wrappers.ts";

/** An `InterpreterRow` ready for use. */
export interface CompiledInterpreter {
  readonly language: string;
  readonly code: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly verbs: ReadonlySet<string>;
  readonly late: boolean;
}

/** Takes a row's cells apart once, at start. */
export function compileInterpreter(row: InterpreterRow): CompiledInterpreter {
  return {
    language: row.language,
    code: new Set(cells(row.code)),
    valued: new Set(cells(row.valued)),
    verbs: new Set(cells(row.verbs)),
    late: row.late === true,
  };
}

interface Reading {
  readonly codes: Arg[];
  module: number | undefined;
  script: number | undefined;
}

/** Judges an interpreter: code on the line or on standard input is looked through; a script file is not known (reference: shell.md §6, §14). */
export function judgeInterpreter(run: Run, call: Call, duty: { readonly row: CompiledInterpreter }): void {
  const { row } = duty;
  const reading = readCode(run, call, row);
  for (const code of reading.codes) judgeText(run, code, row.language);
  if (reading.codes.length > 0) return;
  if (reading.module !== undefined) return judgeProgramWords(run, call, call.args.slice(reading.module));
  const script = reading.script === undefined ? undefined : call.args[reading.script]!;
  const isInput = script === undefined || script.text === "-" || script.text === "/dev/stdin";
  // What is no file is the name of a database.
  if (isInput || (row.late && !/\.m?js$/.test(script.text))) return judgeInput(run, call, row);
  judgeScriptFile(run, call, reading.script!);
}

function readCode(run: Run, call: Call, row: CompiledInterpreter): Reading {
  const reading: Reading = { codes: [], module: undefined, script: undefined };
  for (let index = 0; index < call.args.length; index++) {
    const arg = call.args[index]!;
    if (arg.text === "--") continue;
    if (!arg.text.startsWith("-") || arg.text === "-") {
      if (!row.verbs.has(arg.text)) {
        reading.script ??= index;
        if (!row.late) return reading;
        continue;
      }
      const code = call.args.slice(index + 1).find((word) => !word.text.startsWith("-"));
      if (code !== undefined) reading.codes.push(code);
      return reading;
    }
    if (row.language === "python" && arg.text === "-m") return { ...reading, module: index + 1 };
    index += readOption(run, { call, row, reading }, index);
  }
  return reading;
}

/** Reads the option at an index; gives how many further words it takes. */
function readOption(
  run: Run,
  given: { readonly call: Call; readonly row: CompiledInterpreter; readonly reading: Reading },
  index: number,
): number {
  const { call, row, reading } = given;
  const arg = call.args[index]!;
  const next = call.args[index + 1];
  const equals = arg.text.indexOf("=");
  const name = arg.text.startsWith("--") && equals !== -1 ? arg.text.slice(0, equals) : arg.text;
  if (row.code.has(name)) {
    const code = name === arg.text ? next : { ...arg, text: arg.text.slice(equals + 1) };
    if (code !== undefined) reading.codes.push(code);
    return name === arg.text ? 1 : 0;
  }
  if (row.valued.has(name)) return name === arg.text ? 1 : 0;
  return arg.text.startsWith("--") ? 0 : readCluster(run, given, index);
}

/** `-lane 'code'`, `-ecode`, `-pi.bak`: letters until one takes the rest. */
function readCluster(
  run: Run,
  given: { readonly call: Call; readonly row: CompiledInterpreter; readonly reading: Reading },
  index: number,
): number {
  const { call, row, reading } = given;
  const arg = call.args[index]!;
  const edits = row.language === "perl" || row.language === "ruby";
  for (let position = 1; position < arg.text.length; position++) {
    const letter = `-${arg.text[position]!}`;
    const rest = arg.text.slice(position + 1);
    if (letter === "-i" && edits) {
      if (run.tables.choices.in_place_edit) report(run, "overwrite.in-place", arg);
      return 0;
    }
    if (row.code.has(letter)) {
      const code = rest === "" ? call.args[index + 1] : { ...arg, text: rest };
      if (code !== undefined) reading.codes.push(code);
      return rest === "" ? 1 : 0;
    }
    if (row.valued.has(letter)) return rest === "" ? 1 : 0;
  }
  return 0;
}

/** Looks through the code of one language for signs of destroying and of running something else. */
export function judgeText(run: Run, code: Arg, language: string): void {
  const signs = CODE_SIGNS[language] ?? CODE_SIGNS["other"]!;
  const destroys = signs.destroys.test(code.text) || DESTROYING_METHOD.test(code.text);
  if (destroys) report(run, `destructive.code.${language}`, code);
  if (code.dynamic) report(run, "unverifiable.dynamic-code", code);
  if (signs.runs.test(code.text) || (!destroys && run.tables.choices.inline_code)) report(run, `unverifiable.code.${language}`, code);
}

function judgeInput(run: Run, call: Call, row: CompiledInterpreter): void {
  const head = call.argv[0]!;
  const { stdin } = call.scope;
  if (stdin.kind === "text") judgeText(run, { ...head, text: stdin.text, dynamic: false }, row.language);
  if (stdin.kind === "unknown") report(run, "unverifiable.stdin-code", head);
}

/** A script file is not known, except by name: a framework's script takes verbs; a stream or an address is foreign code. */
function judgeScriptFile(run: Run, call: Call, index: number): void {
  const script = call.args[index]!;
  const name = script.text.slice(script.text.lastIndexOf("/") + 1);
  const program = SCRIPT_PROGRAMS.get(name);
  if (program !== undefined) return judgeProgramWords(run, call, [{ ...script, text: program }, ...call.args.slice(index + 1)]);
  const foreign =
    script.raw.startsWith("<(") ||
    /^\/dev\/fd\/|^\/proc\/self\/fd\//.test(script.text) ||
    call.args.some((arg) => /^https?:\/\//.test(arg.text));
  if (foreign && call.name !== "bun") report(run, "unverifiable.script-file", script);
}
