import { findProgram } from "./program-name.ts";
import type { Call, Run } from "./state.ts";

const HELP = new Set(["--help", "-h", "--version", "-V"]);
const HELP_AFTER_VERBS = new Set(["--help", "-h", "-help"]);
/** For these `-h` means halt. */
const HALTING = new Set(["shutdown", "halt", "poweroff", "reboot", "init", "telinit"]);
const MAX_VERBS = 3;

/**
 * Tells whether a call only prints its own help or version: such a word as the sole argument, or, where a program has verbs, at the end
 * after nothing but verbs (reference: shell.md §5.7; `cargo yank --version 1.0.0` is no such call).
 */
export function isHelp(run: Run, call: Call): boolean {
  const last = call.args.at(-1);
  if (last === undefined || last.dynamic) return false;
  if (call.args.length === 1) return HELP.has(last.text) && !(last.text === "-h" && HALTING.has(call.name));
  if (call.args.length > MAX_VERBS + 1 || !endsInHelp(run, call, last.text)) return false;
  return call.args.slice(0, -1).every((arg) => !arg.dynamic && /^[a-z][a-z\d:-]*$/.test(arg.text));
}

function endsInHelp(run: Run, call: Call, last: string): boolean {
  const program = findProgram(run, call.name);
  if (program === undefined) return last === "--help";
  if (!program.some((duty) => duty.kind === "verbs")) return false;
  return HELP_AFTER_VERBS.has(last) || (last === "help" && call.name === "aws");
}
