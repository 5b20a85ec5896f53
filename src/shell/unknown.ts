import { cells } from "./arguments.ts";
import { judgeCode } from "./nested.ts";
import { findProgram, readName } from "./program-name.ts";
import { type Arg, type Call, type Run, type Scope, report } from "./state.ts";
import { DESTROYING_VERBS, TALKING_VERBS } from "./tables/verbs.ts";

/** Judges a program that no table knows: verbs and destroying programs among its words (reference: shell.md §5.8). */
export function judgeUnknownProgram(run: Run, call: Call): void {
  if (run.functions.has(call.argv[0]!.text)) return;
  if (isDestroyingVerb(call.name.replace(/\.\w+$/, ""))) report(run, "destructive.program", call.argv[0]!);
  judgeUnknownArguments(run, call);
}

/** Words of one call that are tried as the program which an unknown one runs; each trial reads all that follow. */
const MAX_TRIALS = 16;

/** Judges the words of a program that we know nothing about: it may be a wrapper of any of them. */
export function judgeUnknownArguments(run: Run, call: Call): void {
  const first = call.args.find((arg) => !arg.text.startsWith("-"));
  if (first !== undefined && TALKING_VERBS.has(first.text)) return;
  const before = run.findings.length;
  let trials = 0;
  for (const [index, arg] of call.args.entries()) {
    if (arg.text.startsWith("-")) {
      judgeCodeOption(run, call, index);
      continue;
    }
    if (arg.dynamic) continue;
    if (isDestroyingVerb(arg.text)) report(run, "destructive.verb", arg);
    else if (mayBeProgram(run, arg)) {
      trials += 1;
      if (trials > MAX_TRIALS) return report(run, "unverifiable.too-complex", arg);
      judgeTrial(run, call, call.args.slice(index));
      if (run.findings.length > before) return;
    }
  }
}

function isDestroyingVerb(text: string): boolean {
  const word = text.toLowerCase();
  if (!/^[a-z][\w:-]*$/.test(word)) return false;
  return word.split(":").some((part) => DESTROYING_VERBS.has(part) || DESTROYING_VERBS.has(part.split("-")[0]!));
}

/** Names that are ordinary words for other programs as well. */
const ORDINARY = new Set(cells("install rename init kill make service task just go op stack test time"));

/** Tells whether a word is the name of a program that does more than read and print. */
export function mayBeProgram(run: Run, arg: Arg): boolean {
  if (/\s/.test(arg.text) || (arg.text.includes("/") && !arg.text.startsWith("/"))) return false;
  const name = readName(arg);
  return !ORDINARY.has(name) && findProgram(run, name)?.some((duty) => duty.kind !== "data") === true;
}

/** Judges words as a command that may be meant; only what certainly destroys counts, unless they are plainly code for a shell. */
export function judgeTrial(run: Run, call: Call, argv: readonly Arg[]): void {
  const scope: Scope = { ...call.scope, via: [...call.scope.via, call.name] };
  const shell = findProgram(run, readName(argv[0]!))?.some((duty) => duty.kind === "special" && duty.special === "shell") === true;
  const code = shell && argv[1] !== undefined && /^-[a-z]*c$/.test(argv[1].text);
  trial(run, () => run.doors.judge(run, argv, scope), code ? "all" : "destructive");
}

/** `yarn BIN`, `pnpm BIN`: a word that is no verb of the runner may be a program of the project. */
export function judgeRunner(run: Run, call: Call): void {
  const index = call.args.findIndex((arg) => !arg.text.startsWith("-"));
  if (index !== -1 && mayBeProgram(run, call.args[index]!)) judgeTrial(run, call, call.args.slice(index));
}

/** Options whose value is likely code: `-c`, `-e`, `-x`, and names such as `--exec`, `--pre-hook`, `--password-command`. */
const CODE_OPTION =
  /^(?:-[cex]|--?(?:[a-z][\w-]*-)?(?:exec|execute|command|cmd|eval|run|hook|script|shell|rsh|editor|pager|pipe|up|down|on-\w+|before|after))$/;

function judgeCodeOption(run: Run, call: Call, index: number): void {
  const option = call.args[index]!;
  const [name = "", attached] = option.text.split(/=(.*)/s, 2);
  const arg = attached === undefined ? call.args[index + 1] : { ...option, text: attached };
  if (!CODE_OPTION.test(name) || arg === undefined || !/\s/.test(arg.text)) return;
  trial(run, () => judgeCode(run, { arg, call }, { fresh: true }));
}

/** Runs `body`, keeps the findings that count and nothing else of what it recorded. */
function trial(run: Run, body: () => void, kept: "all" | "destructive" = "destructive"): void {
  const [findings, commands, redirects] = [run.findings.length, run.commands.length, run.redirects.length];
  body();
  const found = run.findings.splice(findings);
  run.findings.push(...(kept === "all" ? found : found.filter((finding) => finding.verdict === "destructive")));
  run.commands.splice(commands);
  run.redirects.splice(redirects);
}
