import { assign } from "./assignments.ts";
import { visitExpansions } from "./expansions.ts";
import type { Assignment, Command, Redirection } from "./parse.ts";
import { judgeRedirects } from "./redirects.ts";
import { type Arg, type Known, type Run, type Scope, type Stdin, recordCommand, report } from "./state.ts";
import { evaluateAll, evaluate, spanOf } from "./words.ts";

const DECLARING = new Set(["declare", "typeset", "export", "readonly", "local"]);

/** Judges one simple command: its expansions, assignments and redirects, then the program that it runs. */
export function judgeSimpleCommand(run: Run, node: Command, scope: Scope): void {
  visitParts(run, node, scope);
  const argv = [...(node.name === undefined ? [] : evaluate(run, node.name, scope)), ...evaluateAll(run, node.args, scope)];
  const assignments = node.prefix.filter((part) => part.type === "Assignment");
  const stdin = readStdin(run, node, scope);
  if (argv.length === 0) return judgeWithoutProgram(run, { node, assignments }, scope);
  if (run.aliased) report(run, "unverifiable.alias", argv[0]!);
  declareAll(run, { node, argv }, scope);
  withPrefix(run, { assignments, scope }, () => run.doors.judge(run, argv, { ...scope, stdin }));
}

/** What the command reads; `exec` without a program moves what all later ones read. */
function readStdin(run: Run, node: Command, scope: Scope): Stdin {
  const stdin = judgeRedirects(run, redirectsOf(node), scope);
  if (stdin !== scope.stdin && node.name?.value === "exec" && node.args.length === 0) run.stdinMoved = true;
  return stdin.kind === "inherited" && run.stdinMoved ? { kind: "unknown" } : stdin;
}

/** What a declaring builtin assigns; an array or a subscript leaves nothing known. */
function declareAll(run: Run, { node, argv }: { node: Command; argv: readonly Arg[] }, scope: Scope): void {
  if (!DECLARING.has(argv[0]!.text)) return;
  for (const argument of node.args) if (argument.type === "Assignment") assign(run, argument, scope);
}

function redirectsOf(node: Command): Redirection[] {
  const all = [...node.prefix, ...node.suffix];
  return all.filter((part): part is Redirection => part.type === "Redirect" || part.type === "HereDoc" || part.type === "HereString");
}

/** Scripts inside words and values; those in redirect targets are visited with the redirects. */
function visitParts(run: Run, node: Command, scope: Scope): void {
  if (node.name?.parts !== undefined) visitExpansions(run, node.name, scope);
  for (const part of node.prefix) if (part.type === "Assignment") visitExpansions(run, part, scope);
  for (const argument of node.args)
    if (argument.type === "Assignment" || argument.parts !== undefined) visitExpansions(run, argument, scope);
}

/** A command of assignments or redirects alone is still a command (trials R09). */
function judgeWithoutProgram(run: Run, { node, assignments }: { node: Command; assignments: readonly Assignment[] }, scope: Scope): void {
  for (const assignment of assignments) assign(run, assignment, scope);
  const argv = assignments.map((part) => ({ text: part.text, raw: part.text, dynamic: false, glob: false, ...spanOf(part, scope) }));
  if (node.name !== undefined) report(run, "unverifiable.command-name", { ...spanOf(node.name, scope), text: node.name.text });
  recordCommand(run, "", { argv, scope });
}

/** Runs `body` with a command's own assignments in force: seen by nested code, gone afterwards. */
function withPrefix(run: Run, { assignments, scope }: { assignments: readonly Assignment[]; scope: Scope }, body: () => void): void {
  if (assignments.length === 0) return body();
  const before = new Map<string, Known | undefined>(assignments.map((part) => [part.name, run.variables.get(part.name)]));
  const { ifsChanged } = run;
  for (const assignment of assignments) assign(run, assignment, { ...scope, certain: false });
  body();
  run.ifsChanged = ifsChanged;
  for (const [name, known] of before) {
    if (known === undefined) run.variables.delete(name);
    else run.variables.set(name, known);
  }
}
