import { cells, fixedSyntax, readArguments } from "./arguments.ts";
import { fillSlot, joinArgs, judgeCode, unknownArg } from "./nested.ts";
import { type Arg, type Call, type Run, UNKNOWN, recordCommand, report } from "./state.ts";
import { judgeTrial } from "./unknown.ts";
import { judgeProgramWords } from "./wrappers.ts";

const XARGS_VALUED = new Set(
  cells("-E -I -L -n -P -s -d -a -J -R -S --eof --max-args --max-procs --max-chars --delimiter --arg-file --process-slot-var"),
);

/** Judges `xargs`: the program it runs, with a word that only standard input knows (reference: shell.md §6). */
export function judgeXargs(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const given = readArguments(call.args, fixedSyntax(XARGS_VALUED, { stop: true }));
  const first = given.operands[0];
  if (first === undefined) return;
  const words = call.args.slice(first.index);
  const marks = given.options.flatMap((option) => replaced(option));
  const argv = marks.length === 0 ? [...words, unknownArg(call.argv[0]!, "{}")] : words.map((word) => fill(word, marks));
  judgeProgramWords(run, { ...call, scope: { ...call.scope, stdin: { kind: "inherited" } } }, argv);
}

function replaced(option: { readonly name: string; readonly value: Arg | undefined }): string[] {
  if (option.name === "-I" || option.name === "-J") return option.value === undefined ? [] : [option.value.text];
  return option.name === "-i" || option.name === "--replace" ? [option.value?.text ?? "{}"] : [];
}

function fill(word: Arg, marks: readonly string[]): Arg {
  const text = marks.filter((mark) => mark !== "").reduce((known, mark) => known.replaceAll(mark, UNKNOWN), word.text);
  return text === word.text ? word : fillSlot(word, text);
}

const PARALLEL_VALUED = new Set(
  cells(
    "-j -P -S -a -d -E -I -L -n -N -s -C --jobs --sshlogin --sshloginfile --arg-file --colsep --delimiter --max-args --max-procs --results " +
      "--joblog --timeout --delay --retries --load --memfree --tmpdir --workdir --wd --basefile --return --tagstring --block --recstart --recend --nice --progress-bar",
  ),
);
const PLACE = /\{[-\d+.#%/:]*\}/g;
const INPUT_MARKS = new Set([":::", ":::+", "::::", "::::+"]);

/** Judges GNU `parallel`: its words, joined, are shell code; without any, each input is a command. */
export function judgeParallel(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const border = call.args.findIndex((arg) => INPUT_MARKS.has(arg.text));
  const own = border === -1 ? call.args : call.args.slice(0, border);
  const given = readArguments(own, fixedSyntax(PARALLEL_VALUED, { stop: true }));
  const first = given.operands[0];
  if (first === undefined) return judgeInputs(run, call, border);
  const code = joinArgs(own.slice(first.index))!;
  const filled = code.text.replaceAll(PLACE, UNKNOWN);
  const text = filled === code.text ? `${filled} ${UNKNOWN}` : filled;
  judgeCode(run, { arg: { ...code, text }, call }, { fresh: true, stdin: { kind: "unknown" } });
  const words = own.slice(first.index);
  if (words.length > 1) judgeTrial(run, call, words.map(fillPlaces));
}

/** Another program of the same name runs its words as they are. */
function fillPlaces(word: Arg): Arg {
  const text = word.text.replaceAll(PLACE, UNKNOWN);
  return text === word.text ? word : fillSlot(word, text);
}

function judgeInputs(run: Run, call: Call, border: number): void {
  const mark = call.args[border];
  if (mark?.text !== ":::") return report(run, "unverifiable.stdin-code", call.argv[0]!);
  for (const arg of call.args.slice(border + 1)) if (!INPUT_MARKS.has(arg.text)) judgeCode(run, { arg, call }, { fresh: true });
}
