import { type Call, type Run, report } from "./state.ts";
import type { OpaqueRow } from "./tables/types.ts";
import { judgeUnknownArguments } from "./unknown.ts";

/** Judges a program that we cannot look into: unverifiable, unless its first word only lists (reference: shell.md §6). */
export function judgeOpaque(run: Run, call: Call, duty: { readonly row: OpaqueRow }): void {
  const [first] = call.args;
  if (first !== undefined && !first.dynamic && duty.row.clear?.test(first.text) === true) return;
  report(run, "unverifiable.opaque-program", call.argv[0]!);
  judgeUnknownArguments(run, call);
}
