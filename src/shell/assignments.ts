import { environmentRow, textHidesCode, valueIsHarmless } from "./environment.ts";
import type { Assignment } from "./parse.ts";
import { type Arg, type Run, type Scope, type Span, report } from "./state.ts";
import { evaluateWhole, spanOf } from "./words.ts";

/** Judges one assignment and remembers its value where that is sure to be the only one (reference: shell.md §5.4, §5.9; trials A03). */
export function assign(run: Run, node: Assignment, scope: Scope): void {
  const value = node.value.type === "Word" ? evaluateWhole(run, node.value, scope) : undefined;
  judgeName(run, { name: node.name, value, ...spanOf(node, scope), raw: node.text });
  if (node.name === "IFS") run.ifsChanged = true;
  remember(run, node, { value, scope });
}

interface Named extends Span {
  readonly name: string;
  readonly value: Arg | undefined;
  readonly raw: string;
}

/** Judges that a variable gets a value, by whatever means (`export`, `read`, `printf -v`, `env NAME=…`). */
export function judgeName(run: Run, named: Named): void {
  const { name, value } = named;
  const where = { start: named.start, end: named.end, text: named.raw };
  if (value !== undefined && textHidesCode(value.text)) report(run, "unverifiable.arithmetic-code", where);
  const row = environmentRow(run, name);
  if (row !== undefined && !valueIsHarmless(row, value === undefined || value.dynamic ? undefined : value.text)) {
    report(run, "unverifiable.environment", where);
  }
}

/** Judges an assignment given as a word, as `env`, `sudo`, `make` and `export` take it. True when the word is one. */
export function judgeAssignmentWord(run: Run, arg: Arg): boolean {
  const match = /^([A-Za-z_]\w*)\+?=/.exec(arg.text);
  if (match === null) return false;
  const value = { ...arg, text: arg.text.slice(match[0].length) };
  judgeName(run, { name: match[1]!, value, start: arg.start, end: arg.end, raw: arg.raw });
  return true;
}

/** Drops what is known about a variable: it gets a value that we do not know (`read`, `for`, `unset`). */
export function forget(run: Run, name: string, scope: Scope): void {
  run.variables.delete(name);
  if (scope.soft) run.unsteady.add(name);
}

function remember(run: Run, node: Assignment, given: { readonly value: Arg | undefined; readonly scope: Scope }): void {
  const { value, scope } = given;
  forget(run, node.name, scope);
  if (node.index !== undefined || node.append === true || value === undefined || value.dynamic) return;
  run.variables.set(node.name, { value: value.text, certain: scope.certain && !scope.soft });
}
