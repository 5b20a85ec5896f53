import { isSafeTarget } from "./devices.ts";
import { fillSlot, unknownArg } from "./nested.ts";
import { type Arg, type Call, type Run, UNKNOWN, recordCommand, report } from "./state.ts";
import { FIND_EXECUTING, FIND_VALUED, FIND_WRITING } from "./tables/find.ts";
import { judgeProgramWords } from "./wrappers.ts";

/** Judges `find`: what `-exec` and its kin run, `-delete`, and files written by `-fprint` (reference: shell.md §6). */
export function judgeFind(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  let predicates = false;
  for (let index = 0; index < call.args.length; index++) {
    const arg = call.args[index]!;
    predicates ||= /^[-(!]/.test(arg.text);
    if (FIND_EXECUTING.has(arg.text)) index = judgeAction(run, call, index);
    else if (arg.text === "-delete") report(run, "destructive.find.delete", arg);
    else if (FIND_WRITING.has(arg.text)) judgeOutput(run, call.args[index + 1], arg);
    else if (FIND_VALUED.has(arg.text)) index++;
    else if (predicates && arg.dynamic) report(run, "unverifiable.dynamic-option", arg);
  }
}

/** Judges the command of one `-exec` and gives the index of its end. */
function judgeAction(run: Run, call: Call, index: number): number {
  const words = call.args.slice(index + 1);
  const end = words.findIndex((word, at) => word.text === ";" || (word.text === "+" && words[at - 1]?.text.includes("{}") === true));
  const command = end === -1 ? words : words.slice(0, end);
  judgeProgramWords(run, call, command.map(placeholder));
  return end === -1 ? call.args.length : index + 1 + end;
}

const MARK = /\{(?:|\/|\/\/|\.|\/\.)\}/g;

function placeholder(arg: Arg): Arg {
  const text = arg.text.replaceAll(MARK, UNKNOWN);
  return text === arg.text ? arg : fillSlot(arg, text);
}

function judgeOutput(run: Run, file: Arg | undefined, arg: Arg): void {
  if (file === undefined || !isSafeTarget(run, file.text)) report(run, "overwrite.find.output", file ?? arg);
}

const FD_EXECUTING = /^(?:-x|-X|--exec|--exec-batch)$/;

/** Judges `fd`: the command after `-x`, `-X`, `--exec` or `--exec-batch`. */
export function judgeFd(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const index = call.args.findIndex((arg) => FD_EXECUTING.test(arg.text) || /^--exec(?:-batch)?=/.test(arg.text));
  const option = call.args[index];
  if (option === undefined) return;
  const first = option.text.includes("=") ? [{ ...option, text: option.text.replace(/^[^=]*=/, "") }] : [];
  const words = [...first, ...call.args.slice(index + 1)];
  const end = words.findIndex((word) => word.text === ";");
  const command = (end === -1 ? words : words.slice(0, end)).map(placeholder);
  judgeProgramWords(run, call, command.some((arg) => arg.dynamic) ? command : [...command, unknownArg(option, "{}")]);
}
