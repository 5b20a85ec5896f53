import { parseScript } from "./parse.ts";
import { type Arg, type Call, type Run, type Scope, UNKNOWN, report } from "./state.ts";

/** Deepest nesting of code in code that is followed (reference: shell.md §5.2). */
const MAX_DEPTH = 8;

interface NestedOptions {
  /** A shell of its own: our variables are not its variables. */
  readonly fresh?: boolean;
  /** Run later, more than once or never (traps, callbacks). */
  readonly later?: boolean;
  readonly stdin?: Scope["stdin"];
}

/** Judges a text that becomes a script; a part that cannot be read makes it unverifiable, but the rest is still looked at. */
export function judgeCode(run: Run, code: { readonly arg: Arg; readonly call: Call }, options: NestedOptions = {}): void {
  const { arg, call } = code;
  const depth = call.scope.depth + 1;
  if (depth > MAX_DEPTH) return report(run, "unverifiable.depth", arg);
  if (arg.dynamic && !(arg.slot === true && arg.text.trim() !== UNKNOWN)) report(run, "unverifiable.dynamic-code", arg);
  const scope: Scope = {
    depth,
    nesting: call.scope.nesting,
    via: [...call.scope.via, call.name],
    stdin: options.stdin ?? call.scope.stdin,
    span: { start: arg.start, end: arg.end },
    certain: call.scope.certain && options.later !== true,
    soft: call.scope.soft || options.later === true,
  };
  const script = parseScript(arg.text);
  if (options.fresh !== true) return run.doors.script(run, script, scope);
  const saved = [...run.variables];
  const { ifsChanged } = run;
  run.variables.clear();
  run.ifsChanged = false;
  run.doors.script(run, script, { ...scope, certain: true, soft: false });
  run.variables.clear();
  for (const [name, known] of saved) run.variables.set(name, known);
  run.ifsChanged = ifsChanged;
}

/** Joins words with blanks into one, as `eval`, `ssh` and `watch` do before a shell reads them. */
export function joinArgs(args: readonly Arg[]): Arg | undefined {
  const [first] = args;
  const last = args.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const dynamic = args.some((arg) => arg.dynamic);
  const raw = args.map((arg) => arg.raw).join(" ");
  return { text: args.map((arg) => arg.text).join(" "), raw, dynamic, glob: false, start: first.start, end: last.end };
}

/** An argument that will be known only when the program runs (`{}` of find, what xargs reads). */
export function unknownArg(near: Arg, raw = near.raw): Arg {
  return { text: UNKNOWN, raw, dynamic: true, glob: false, start: near.start, end: near.end };
}

/** A word in whose text a wrapper puts something in place of its mark; a word that was not known before stays unknown as a whole. */
export function fillSlot(word: Arg, text: string): Arg {
  return word.dynamic ? { ...word, text } : { ...word, text, dynamic: true, slot: true };
}
