import { isSafeTarget } from "./devices.ts";
import { visitExpansions } from "./expansions.ts";
import type { HereDoc, Redirect, Redirection } from "./parse.ts";
import { type Arg, type Run, type Scope, type Stdin, UNKNOWN, report, toWord } from "./state.ts";
import { documentText } from "./static-output.ts";
import { evaluate, evaluateWhole, spanOf } from "./words.ts";

/** Judges the redirects of one command and gives what the command will read (reference: shell.md §5.10). */
export function judgeRedirects(run: Run, redirects: readonly Redirection[], scope: Scope): Stdin {
  let { stdin } = scope;
  for (const redirect of redirects) {
    const read = redirect.type === "Redirect" ? judgeRedirect(run, redirect, scope) : readInput(run, redirect, scope);
    if (read !== undefined && readsStdin(redirect)) stdin = read;
  }
  return stdin;
}

function readsStdin(redirect: Redirection): boolean {
  return redirect.descriptor === undefined || (redirect.descriptor.type === "FileDescriptor" && redirect.descriptor.value === 0);
}

function readInput(run: Run, redirect: Exclude<Redirection, Redirect>, scope: Scope): Stdin {
  if (redirect.type === "HereDoc") return readDocument(run, redirect, scope);
  if (redirect.target === undefined) return { kind: "unknown" };
  visitExpansions(run, redirect.target, scope);
  const word = evaluateWhole(run, redirect.target, scope);
  run.redirects.push({ op: "<<<", target: toWord(word) });
  return word.dynamic ? { kind: "unknown" } : { kind: "text", text: `${word.text}\n` };
}

function readDocument(run: Run, document: HereDoc, scope: Scope): Stdin {
  for (const part of document.body.parts ?? []) visitExpansions(run, part, scope);
  const text = documentText(document);
  run.redirects.push({ op: document.operator, target: document.delimiter?.value ?? "" });
  return text === undefined ? { kind: "unknown" } : { kind: "text", text };
}

function judgeRedirect(run: Run, redirect: Redirect, scope: Scope): Stdin | undefined {
  const { target, operator } = redirect;
  if (target === undefined) {
    report(run, "unverifiable.syntax", { ...spanOf(redirect, scope), text: operator });
    return undefined;
  }
  visitExpansions(run, target, scope);
  const word = targetWord(evaluate(run, target, scope), { text: target.text, ...spanOf(target, scope) });
  run.redirects.push({ op: operator, target: toWord(word) });
  if (operator === "<" || operator === "<&") return word.text === "/dev/null" ? { kind: "inherited" } : { kind: "unknown" };
  if (!(writes(redirect, word) || (run.tables.choices.append && redirect.operator.endsWith(">>"))) || isProcessSubstitution(redirect))
    return undefined;
  const where = { ...spanOf(redirect, scope), text: word.text, raw: word.raw };
  if (word.dynamic || word.glob) report(run, "unverifiable.redirect-target", where);
  else if (!isSafeTarget(run, word.text)) report(run, "overwrite.redirect", where);
  return undefined;
}

/** A target must be one word; bash refuses anything else, and so do we. */
function targetWord(words: readonly Arg[], whole: { text: string; start: number; end: number }): Arg {
  const [first] = words;
  if (words.length === 1 && first !== undefined) return first;
  return { text: UNKNOWN, raw: whole.text, dynamic: true, glob: false, start: whole.start, end: whole.end };
}

/** `>> &>>` keep content; `>&2`, `2>&1`, `>&-` copy descriptors; everything else with `>` replaces content. */
function writes(redirect: Redirect, target: Arg): boolean {
  if (redirect.operator === ">>" || redirect.operator === "&>>") return false;
  if (redirect.operator !== ">&") return true;
  if (/^(?:\d+-?|-)$/.test(target.text)) return false;
  return redirect.descriptor === undefined || redirect.descriptor.type !== "FileDescriptor" || redirect.descriptor.value === 1;
}

function isProcessSubstitution(redirect: Redirect): boolean {
  const parts = redirect.target?.parts;
  return parts?.length === 1 && parts[0]!.type === "ProcessSubstitution";
}
