import { type Arg, type Call, type Run, report } from "./state.ts";

const RUNNING =
  /!|system\s*\(|(?:^|[:|\s])(?:sh|shell|terminal)\b|\bset\s+sh(?:ell)?=|\b(?:py(?:thon)?3?|lua|perl|ruby|tcl|mz)\b|writefile|delete\s*\(|jobstart|terminal/;
const WRITING = /(?:^|[|:\n])[ \t]*(?:w|wq|wqa|wa|x|xa|up|update|sav|saveas|exit|xit|wn)!?(?:\s|$|\|)/;

/** Judges `vim` and its kin: commands given on the line that run programs or write, and scripts that it reads. */
export function judgeVim(run: Run, call: Call): void {
  const words = call.args;
  for (const [index, arg] of words.entries()) {
    const command = /^(?:-c|--cmd)$/.test(arg.text)
      ? words[index + 1]
      : /^\+./.test(arg.text)
        ? { ...arg, text: arg.text.slice(1) }
        : undefined;
    if (command !== undefined) judgeCommand(run, command);
    if (/^-(?:s|S|W|w|u|U|i)$/.test(arg.text) && words[index + 1]?.text !== "NONE" && words[index + 1] !== undefined)
      report(run, "unverifiable.script-file", words[index + 1]!);
    if (/^-[a-zA-Z]*[eE]s$/.test(arg.text)) report(run, "unverifiable.opaque-program", arg);
  }
  if (call.scope.stdin.kind !== "inherited" && !words.some((arg) => arg.text === "-"))
    report(run, "unverifiable.stdin-code", call.argv[0]!);
}

function judgeCommand(run: Run, command: Arg): void {
  if (command.dynamic) report(run, "unverifiable.dynamic-code", command);
  if (RUNNING.test(command.text)) report(run, "unverifiable.code.vim", command);
  if (WRITING.test(command.text) && run.tables.choices.in_place_edit) report(run, "overwrite.vim.write", command);
}
