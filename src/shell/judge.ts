import { HANDLERS } from "./handlers.ts";
import { isHelp } from "./help.ts";
import { findProgram, readName } from "./program-name.ts";
import { type Arg, type Call, type Run, type Scope, recordCommand, report } from "./state.ts";
import { judgeUnknownArguments, judgeUnknownProgram } from "./unknown.ts";

const MAX_WRAPPERS = 32;

/** Judges one command, given as dequoted words, by what its program is known to do (reference: shell.md §5.5–5.8). */
export function judge(run: Run, argv: readonly Arg[], scope: Scope): void {
  const head = argv[0];
  if (head === undefined) return;
  if (scope.via.length > MAX_WRAPPERS) return report(run, "unverifiable.depth", head);
  const call: Call = { name: readName(head), argv, args: argv.slice(1), scope };
  if (head.dynamic || head.glob) return judgeUnreadable(run, call, "unverifiable.dynamic-command");
  // oxlint-disable-next-line no-control-regex
  if (!/^[\u0021-\u007E]+$/.test(head.text)) return judgeUnreadable(run, call, "unverifiable.command-name");
  if (isHelp(run, call)) return recordCommand(run, call.name, call);
  if (INIT_SCRIPT.test(head.text)) return judge(run, [{ ...head, text: "service" }, { ...head, text: call.name }, ...call.args], scope);
  judgeProgram(run, call);
}

/** Init scripts take the verbs of `service`. */
const INIT_SCRIPT = /^\/etc\/(?:rc\.d|init\.d|rc\.d\/init\.d)\/[\w.-]+$/;

/** The program is not known: a wrapper or anything else; its arguments may still show what happens. */
function judgeUnreadable(run: Run, call: Call, rule: string): void {
  recordCommand(run, "", call);
  report(run, rule, call.argv[0]!);
  judgeUnknownArguments(run, call);
}

function judgeProgram(run: Run, call: Call): void {
  const { length } = run.commands;
  const program = findProgram(run, call.name);
  if (isForeign(call.argv[0]!.text)) report(run, "unverifiable.local-program", call.argv[0]!);
  if (!program?.some((duty) => duty.kind === "wrapper" || duty.kind === "special")) recordCommand(run, call.name, call);
  // A program that is known for a hook of its own only is otherwise unknown.
  if (program === undefined || program.every((duty) => duty.kind === "subcommand")) judgeUnknownProgram(run, call);
  if (program !== undefined) for (const duty of program) HANDLERS[duty.kind](run, call, duty as never);
  if (run.commands.length === length) recordCommand(run, call.name, call);
}

const SYSTEM_DIRECTORY =
  /^\/(?:usr\/(?:local\/)?|opt\/[^/]+\/(?:.*\/)?|snap\/|nix\/.*\/|run\/current-system\/sw\/)?(?:s?bin|lib(?:exec|32|64)?(?:\/.*)?)\/[^/]+$/;

/** A program outside the directories of the system: a local file whose effect nobody has declared. */
function isForeign(word: string): boolean {
  if (!word.includes("/")) return /\.(?:sh|bash|zsh|py|pl|rb)$/i.test(word);
  return !SYSTEM_DIRECTORY.test(word.replaceAll(/\/(?:\.?\/)+/g, "/").replaceAll(/\/[^/]+\/\.\.(?=\/)/g, ""));
}
