import { judgeAssignmentWord } from "./assignments.ts";
import { fixedSyntax, readArguments } from "./arguments.ts";
import { isStream } from "./devices.ts";
import { type Call, type Run, recordCommand, report } from "./state.ts";

/** What the rows of make's table cannot say: recipes from a stream, and variables that name programs. */
export function judgeMake(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const given = readArguments(call.args, fixedSyntax(new Set(["-f", "-C", "-I", "-o", "-W", "-E", "--file", "--makefile", "--directory"])));
  for (const { name, value } of given.options) {
    if (!["-f", "--file", "--makefile"].includes(name) || value === undefined) continue;
    if (isStream(value)) report(run, "unverifiable.stdin-code", value);
  }
  for (const { arg } of given.operands) judgeAssignmentWord(run, arg);
}
