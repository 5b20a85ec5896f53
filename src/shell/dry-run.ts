import type { Arguments, Option } from "./arguments.ts";
import type { CompiledProgram } from "./tables/compile.ts";

const REAL_VALUES = new Set(["none", "false", "0", "no"]);
const DRY_VALUES = new Set(["client", "server", "true"]);

/**
 * Tells whether the call is a dry run in a spelling that its program is known to obey (reference: shell.md §6, "Dry-run spellings").
 * The last spelling counts; `--dry-run=none` is a real run, whatever stands before it.
 */
export function isDryRun(program: CompiledProgram, given: Arguments): boolean {
  if (program.dryRun.length === 0) return false;
  const verb = given.operands[0]?.arg.text;
  if (program.dryRunVerbs !== undefined && (verb === undefined || !program.dryRunVerbs.has(verb))) return false;
  const spelled = given.options.filter((option) => program.dryRun.includes(option.name) || option.name === "--no-dry-run");
  const last = spelled.at(-1);
  return last !== undefined && last.name !== "--no-dry-run" && isDry(last, given);
}

function isDry(option: Option, given: Arguments): boolean {
  if (option.value !== undefined && option.arg.text.includes("=")) return !option.value.dynamic && DRY_VALUES.has(option.value.text);
  const next = given.operands.find((operand) => operand.index === option.index + 1)?.arg;
  return next === undefined || !(next.dynamic || REAL_VALUES.has(next.text));
}
