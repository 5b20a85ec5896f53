import { forget, judgeAssignmentWord, judgeName } from "./assignments.ts";
import { fixedSyntax, readArguments } from "./arguments.ts";
import { textHidesCode } from "./environment.ts";
import { judgeCode } from "./nested.ts";
import { type Arg, type Call, type Run, recordCommand, report } from "./state.ts";

/** Builtins that give variables a value which the text does not show, and the options of theirs that take a word. */
const READING: Readonly<Record<string, string>> = {
  read: "-a -d -i -n -N -p -t -u",
  mapfile: "-d -n -O -s -u -C -c",
  readarray: "-d -n -O -s -u -C -c",
  unset: "",
  getopts: "",
  let: "",
};

/** Judges a builtin that sets variables: sensitive names, code hidden in subscripts, and callbacks. */
export function judgeBuiltin(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  for (const arg of call.args) if (textHidesCode(arg.text)) report(run, "unverifiable.arithmetic-code", arg);
  const given = readArguments(call.args, fixedSyntax(new Set((READING[call.name] ?? "-v").split(" "))));
  for (const option of given.options)
    if (option.name === "-C" && option.value !== undefined) judgeCode(run, { arg: option.value, call }, { later: true });
  for (const arg of namesSet(call, given)) setUnknown(run, call, arg);
}

function namesSet(call: Call, given: ReturnType<typeof readArguments>): readonly Arg[] {
  const operands = given.operands.map((operand) => operand.arg);
  if (call.name === "printf" || call.name === "wait")
    return given.options.flatMap((option) => (option.name === "-v" && option.value ? [option.value] : []));
  if (call.name === "getopts") return operands.slice(1, 2);
  return call.name === "test" || call.name === "["
    ? []
    : [...operands, ...given.options.flatMap((option) => (option.name === "-a" && option.value ? [option.value] : []))];
}

function setUnknown(run: Run, call: Call, arg: Arg): void {
  const name = /^[A-Za-z_]\w*/.exec(arg.text)?.[0];
  if (arg.dynamic || name === undefined) return;
  forget(run, name, call.scope);
  // `IFS= read` keeps IFS; `read IFS` does not.
  if (name === "IFS") run.ifsChanged = true;
  if (call.name !== "unset") judgeName(run, { name, value: undefined, start: arg.start, end: arg.end, raw: arg.raw });
}

/** `export`, `declare` and the like: names and values as the tables of the environment say; a name reference hides what is assigned. */
export function judgeDeclare(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  for (const arg of call.args) {
    if (/^-[a-zA-Z]*n/.test(arg.text) && call.name !== "export") report(run, "unverifiable.name-reference", arg);
    if (textHidesCode(arg.text)) report(run, "unverifiable.arithmetic-code", arg);
    judgeAssignmentWord(run, arg);
    if (arg.text.startsWith("IFS=")) run.ifsChanged = true;
  }
}

/** Builtins and options of theirs that run code or load it: `compgen -C`, `hash -p`, `enable -f`, `bind -x`, `fc`. */
export function judgeLoader(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const index = call.args.findIndex((arg) => arg.text === "-C");
  const code = index === -1 ? undefined : call.args[index + 1];
  if (code !== undefined) judgeCode(run, { arg: code, call }, { later: true });
  const loading = call.args.find(
    (arg) => (/^-[a-z]*[pf]/.test(arg.text) && call.name !== "bind" && call.name !== "complete") || arg.text === "-x",
  );
  if (loading !== undefined && call.name !== "compgen") report(run, "unverifiable.loaded-code", loading);
  if (call.name === "fc" && !call.args.some((arg) => /^-[a-z]*l/.test(arg.text))) report(run, "unverifiable.loaded-code", call.argv[0]!);
}
