import type { Run } from "./state.ts";
import type { EnvironmentRow } from "./tables/types.ts";

/** The row for a variable that can make a program run, or read as code, something else; undefined for ordinary variables. */
export function environmentRow(run: Run, name: string): EnvironmentRow | undefined {
  if (run.tables.harmlessNames.has(name)) return undefined;
  const exact = run.tables.environment.get(name);
  return exact ?? run.tables.environmentPrefixes.find((row) => name.startsWith(row.name.slice(0, -1)));
}

/** Tells whether a variable of this name may change what other programs do, whatever its value. */
export function nameIsSensitive(run: Run, name: string): boolean {
  return environmentRow(run, name) !== undefined;
}

/** Tells whether a value assigned to a sensitive variable is one of those that change nothing of interest (`GIT_PAGER=cat`). */
export function valueIsHarmless(row: EnvironmentRow, value: string | undefined): boolean {
  return value !== undefined && row.harmless !== undefined && row.harmless.test(value);
}

/** Text that arithmetic evaluation would run: a substitution inside an array subscript. */
export function textHidesCode(text: string): boolean {
  let open = false;
  for (let at = text.indexOf("["); at !== -1 && at < text.length; at++) {
    const char = text[at];
    if (char === "[" || char === "]") open = char === "[";
    else if (open && (char === "`" || (char === "$" && text[at + 1] === "("))) return true;
  }
  return false;
}
