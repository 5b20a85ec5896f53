import { type Call, type Run, report } from "./state.ts";
import { fixedSyntax, hasOption, readArguments } from "./arguments.ts";
import { isSystemPath } from "./devices.ts";

/** Judges `chmod`: modes that open a file to everybody or set identities, and recursion over the system (reference: shell.md §6, "Permissions"). */
export function judgeChmod(run: Run, call: Call): void {
  const given = readArguments(
    call.args.filter((arg) => !isSymbolicMode(arg.text)),
    fixedSyntax(new Set(["--reference"])),
  );
  const recursive = hasOption(given, ["-R", "--recursive"]);
  // `-w` and the like look like options; every word that is a mode counts as one.
  const mode = call.args.find((arg) => isMode(arg.text));
  const first = given.operands[0]?.arg;
  if (mode === undefined && first?.dynamic === true && !hasOption(given, ["--reference"])) report(run, "unverifiable.dynamic-mode", first);
  if (mode !== undefined && opens(mode.text)) report(run, "destructive.chmod.mode", mode);
  const target = call.args.find((arg) => arg !== mode && isSystemPath(arg.text));
  if (recursive && target !== undefined) report(run, "destructive.chmod.system", target);
}

function isSymbolicMode(text: string): boolean {
  return /^[ugoa]*[-+=][rwxXstugo]*(?:[-+=,ugoarwxXst])*$/.test(text) && text !== "-R";
}

function isMode(text: string): boolean {
  return /^[-+=]?[0-7]+$/.test(text) || isSymbolicMode(text);
}

/** Whether a mode gives writing to others, or sets user, group or sticky bits. */
function opens(mode: string): boolean {
  if (/^[-+=]?[0-7]+$/.test(mode)) return opensOctal(mode);
  return mode.split(",").some(opensClause);
}

function opensOctal(mode: string): boolean {
  const value = Number.parseInt(mode.replace(/^[-+=]/, ""), 8);
  return !mode.startsWith("-") && (value > 0o777 || (value & 0o002) !== 0);
}

function opensClause(clause: string): boolean {
  const who = /^[ugoa]*/.exec(clause)![0];
  const everybody = who === "" || /[oa]/.test(who);
  const given = [...clause.slice(who.length).matchAll(/([-+=])([rwxXstugo]*)/g)]
    .filter((action) => action[1] !== "-")
    .map((action) => action[2]!);
  return given.some((letters) => letters.includes("s") || letters.includes("t") || (everybody && /[wug]/.test(letters)));
}

/** Judges `chown` and `chgrp`: recursion loses who owned what. */
export function judgeChown(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(new Set(["--from", "--reference"])));
  const recursive = given.options.find((option) => option.name === "-R" || option.name === "--recursive");
  if (recursive !== undefined) report(run, "destructive.chown.recursive", recursive.arg);
}
