import { type Option, cells, fixedSyntax, readArguments } from "./arguments.ts";
import { joinArgs, judgeCode } from "./nested.ts";
import { judgeStdinCode } from "./shells.ts";
import { type Call, type Run, recordCommand, report } from "./state.ts";

const SSH_VALUED = new Set(cells("-i -p -l -o -F -J -L -R -D -b -c -E -e -I -m -O -Q -S -W -w -B -P"));
const HELPER = /^(?:proxycommand|localcommand|knownhostscommand|pkcs11provider|securitykeyprovider|xauthlocation)[= ]/i;

/** Judges `ssh`: the words after the host, joined, are code there; helpers given as options run here (reference: shell.md §6). */
export function judgeSsh(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const before = readArguments(call.args, fixedSyntax(SSH_VALUED, { stop: true }));
  const host = before.operands[0];
  const rest = call.args.slice((host?.index ?? call.args.length) + 1);
  const between = readArguments(rest, fixedSyntax(SSH_VALUED, { stop: true }));
  const options = [...before.options, ...between.options];
  judgeSshOptions(run, options);
  if (options.some((option) => ["-Q", "-G", "-V", "-O"].includes(option.name))) return;
  const code = joinArgs(rest.slice(between.operands[0]?.index ?? rest.length));
  if (code !== undefined) return judgeCode(run, { arg: code, call }, { fresh: true });
  if (options.some((option) => option.name === "-N")) return;
  if (host !== undefined && call.scope.stdin.kind !== "inherited") return judgeStdinCode(run, call);
  report(run, "unverifiable.interactive-shell", host?.arg ?? call.argv[0]!);
}

/** Options of the ssh family that name a program to run on this side. */
export function judgeSshOptions(run: Run, options: readonly Option[]): void {
  for (const { name, value } of options) {
    if (name !== "-o" || value === undefined) continue;
    if (value.dynamic || (HELPER.test(value.text) && !/[= ]none$/i.test(value.text))) report(run, "unverifiable.helper-program", value);
  }
}
