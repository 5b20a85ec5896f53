import { type Arguments, cells, findOptions, fixedSyntax, readArguments } from "./arguments.ts";
import { isSafeTarget, isStream } from "./devices.ts";
import { type Arg, type Call, type Run, UNKNOWN, report } from "./state.ts";

const VALUED = new Set(cells("-e -f -l -E --expression --file --line-length"));

/** Judges `sed`: editing in place, and the commands `e`, `w`, `W` of its scripts (reference: shell.md §6). */
export function judgeSed(run: Run, call: Call): void {
  const given = readSed(call);
  const inPlace = given.options.find(({ name }) => name === "-i" || name === "--in-place");
  if (inPlace !== undefined && run.tables.choices.in_place_edit) report(run, "overwrite.sed.in-place", inPlace.arg);
  const scripts = findOptions(given, ["-e", "--expression"]).flatMap(({ value }) => value ?? []);
  const hasFile = findOptions(given, ["-f", "--file"]).length > 0;
  const first = scripts.length === 0 && !hasFile ? given.operands[0]?.arg : undefined;
  for (const script of first === undefined ? scripts : [first]) judgeScript(run, script);
  for (const { value } of findOptions(given, ["-f", "--file"])) {
    if (value !== undefined && isStream(value)) report(run, "unverifiable.stdin-code", value);
  }
}

/** What stands after `i` in a cluster is a suffix, not options; `-n`, `-E`, `-r`, `-s`, `-u`, `-z` take nothing. */
function readSed(call: Call): Arguments {
  const args = call.args.map((arg) => {
    const cluster = /^-([nErsuz]*)i.*$/.exec(arg.text);
    return cluster === null ? arg : { ...arg, text: `-${cluster[1]!}i` };
  });
  return readArguments(args, fixedSyntax(new Set([...VALUED].filter((name) => name !== "-E"))));
}

function judgeScript(run: Run, arg: Arg): void {
  const found = scanSed(arg.text);
  if (found === "unreadable") return arg.dynamic ? report(run, "unverifiable.dynamic-code", arg) : undefined;
  for (const command of found) {
    if (command.kind === "execute") report(run, "destructive.sed.execute", arg);
    else if (!isSafeTarget(run, command.file)) report(run, "overwrite.sed.write", arg);
  }
}

type SedCommand = { readonly kind: "execute" } | { readonly kind: "write"; readonly file: string };

/** The commands of a sed script that run a shell or write a file; `unreadable` for a script that sed would refuse or that we cannot follow. */
export function scanSed(script: string): readonly SedCommand[] | "unreadable" {
  const found: SedCommand[] = [];
  let at = 0;
  while (at < script.length) {
    at = skip(script, at, /[\s;{}]/);
    if (at >= script.length) break;
    const after = skipAddresses(script, at);
    if (after === undefined) return "unreadable";
    const next = readCommand(script, skip(script, after, /[\s!]/), found);
    if (next === undefined) return "unreadable";
    at = next;
  }
  return found;
}

function skip(script: string, from: number, what: RegExp): number {
  let at = from;
  while (at < script.length && what.test(script[at]!)) at++;
  return at;
}

function skipAddresses(script: string, from: number): number | undefined {
  let at: number | undefined = skipAddress(script, from);
  while (at !== undefined && script[skip(script, at, /\s/)] === "," && at > from) at = skipAddress(script, skip(script, at, /[\s,]/));
  return at;
}

/** A line number, `$`, `first~step`, `+N`, or a pattern between slashes or `\c…c`; an expansion stands for a number. */
function skipAddress(script: string, at: number): number | undefined {
  const char = script[at];
  if (char === "/") return afterPattern(script, at + 1, "/");
  if (char === "\\") return afterPattern(script, at + 2, script[at + 1] ?? "");
  return skip(script, at, new RegExp(`[\\d$~+${UNKNOWN}]`, "u"));
}

function afterPattern(script: string, from: number, mark: string): number | undefined {
  const end = endOfPart(script, from, mark);
  return end === undefined ? undefined : skip(script, end + 1, /[IM]/);
}

/** Index of the next unescaped mark; a mark inside `[…]` does not count. */
function endOfPart(script: string, from: number, mark: string): number | undefined {
  let bracket = false;
  for (let at = from; at < script.length; at++) {
    const char = script[at];
    if (char === "\\") at++;
    else if (char === mark && !bracket) return at;
    else if (char === "[" && !bracket && script.indexOf("]", at + 2) !== -1) bracket = mark !== "[";
    else if (char === "]" && bracket && !/\[\^?$/.test(script.slice(Math.max(from, at - 2), at))) bracket = false;
    else if (char === "\n") bracket = false;
  }
  return undefined;
}

function readCommand(script: string, at: number, found: SedCommand[]): number | undefined {
  const char = script[at];
  const line = endOfLine(script, at);
  if (char === "s" || char === "y") return readSubstitution(script, at, found);
  if (char === "e") found.push({ kind: "execute" });
  if (char === "w" || char === "W") found.push({ kind: "write", file: script.slice(at + 1, line).trim() });
  if (char !== undefined && /[ewWaicrR#]/.test(char)) return endOfText(script, at);
  if (char !== undefined && /[:btTvqQlL]/.test(char)) return skip(script, at + 1, /[^;\n}]/);
  return char !== undefined && /[=dDgGhHnNpPxzF{}]/.test(char) ? at + 1 : undefined;
}

function endOfLine(script: string, at: number): number {
  const end = script.indexOf("\n", at);
  return end === -1 ? script.length : end;
}

/** Text of `a`, `i`, `c` goes on after a backslash at the end of a line. */
function endOfText(script: string, at: number): number {
  let end = endOfLine(script, at);
  while (script[end - 1] === "\\" && end < script.length) end = endOfLine(script, end + 1);
  return end;
}

function readSubstitution(script: string, at: number, found: SedCommand[]): number | undefined {
  const mark = script[at + 1];
  if (mark === undefined || mark === "\n" || mark === "\\") return undefined;
  const middle = endOfPart(script, at + 2, mark);
  const end = middle === undefined ? undefined : plainEnd(script, middle + 1, mark);
  if (end === undefined) return undefined;
  const flags = /^[gpIiMme\d]*/.exec(script.slice(end + 1))![0];
  const after = end + 1 + flags.length;
  if (script[at] === "s" && flags.includes("e")) found.push({ kind: "execute" });
  if (script[at] !== "s" || script[after] !== "w") return after;
  const line = endOfLine(script, after);
  found.push({ kind: "write", file: script.slice(after + 1, line).trim() });
  return line;
}

function plainEnd(script: string, from: number, mark: string): number | undefined {
  for (let at = from; at < script.length; at++) {
    if (script[at] === "\\") at++;
    else if (script[at] === mark) return at;
  }
  return undefined;
}
