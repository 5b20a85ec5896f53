import { joinArgs, judgeCode } from "./nested.ts";
import { type Arg, type Call, type Run, recordCommand, report } from "./state.ts";

interface ShellArguments {
  code: boolean;
  stdin: boolean;
  noexec: boolean;
  open: Arg | undefined;
  startup: Arg | undefined;
  rest: readonly Arg[];
}

const LONG_VALUED = new Set(["--rcfile", "--init-file", "--init-command", "--features", "--debug-output"]);

/** Judges `sh`, `bash`, …: the code of `-c`, or the script that it reads (reference: shell.md §6, "Shells"). */
export function judgeShell(run: Run, call: Call): void {
  const given = readShellArguments(call.args);
  if (given.startup !== undefined) report(run, "unverifiable.script-file", given.startup);
  if (given.open !== undefined) report(run, "unverifiable.dynamic-option", given.open);
  if (given.noexec) return recordCommand(run, call.name, call);
  const [first] = given.rest;
  if (given.code) return first === undefined ? undefined : judgeCode(run, { arg: first, call }, { fresh: true });
  if (first === undefined || given.stdin || first.text === "/dev/stdin") return judgeStdinCode(run, call);
  recordCommand(run, call.name, call);
  report(run, "unverifiable.script-file", first);
}

function readShellArguments(args: readonly Arg[]): ShellArguments {
  const given: ShellArguments = { code: false, stdin: false, noexec: false, open: undefined, startup: undefined, rest: [] };
  let index = 0;
  for (; index < args.length; index++) {
    const arg = args[index]!;
    if (arg.text === "--" || arg.text === "-") {
      index++;
      break;
    }
    if (!/^[-+]./.test(arg.text)) break;
    if (arg.dynamic) given.open = arg;
    if (arg.text.startsWith("--")) index += readLongOption(given, arg);
    else index += readCluster(given, arg.text);
  }
  given.rest = args.slice(index);
  return given;
}

function readLongOption(given: ShellArguments, arg: Arg): number {
  if (arg.text === "--command") given.code = true;
  if (arg.text === "--no-execute" || arg.text === "--no-exec") given.noexec = true;
  if (/^--(?:rcfile|init-file|init-command)/.test(arg.text)) given.startup = arg;
  return LONG_VALUED.has(arg.text) ? 1 : 0;
}

/** Reads a cluster and gives how many further words its options take. */
function readCluster(given: ShellArguments, text: string): number {
  let words = 0;
  for (const letter of text.slice(1)) {
    if (letter === "c" && text.startsWith("-")) given.code = true;
    if (letter === "s") given.stdin = true;
    if (letter === "n" && text.startsWith("-")) given.noexec = true;
    if (letter === "o" || letter === "O") words++;
  }
  return words;
}

/** Judges a shell that reads its script from standard input. */
export function judgeStdinCode(run: Run, call: Call): void {
  const head = call.argv[0]!;
  const { stdin } = call.scope;
  if (stdin.kind === "text") {
    const arg = { ...head, text: stdin.text, dynamic: false };
    return judgeCode(run, { arg, call }, { fresh: true, stdin: { kind: "unknown" } });
  }
  recordCommand(run, call.name, call);
  report(run, stdin.kind === "unknown" ? "unverifiable.stdin-code" : "unverifiable.interactive-shell", head);
}

/** `eval`: its words, joined, run here and now. */
export function judgeEval(run: Run, call: Call): void {
  const code = joinArgs(call.args[0]?.text === "--" ? call.args.slice(1) : call.args);
  if (code !== undefined) judgeCode(run, { arg: code, call });
}

/** `trap`: its first word runs later, unless it only resets or lists. */
export function judgeTrap(run: Run, call: Call): void {
  const args = call.args[0]?.text === "--" ? call.args.slice(1) : call.args;
  const [code] = args;
  recordCommand(run, call.name, call);
  if (code === undefined || args.length < 2 || ["-", "", "-l", "-p"].includes(code.text)) return;
  judgeCode(run, { arg: code, call }, { later: true, stdin: { kind: "unknown" } });
}

/** `source` and `.`: a file runs here. */
export function judgeSource(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const [file] = call.args;
  if (file !== undefined) report(run, "unverifiable.script-file", file);
}

/** `alias`: from here on command words may mean something else. */
export function judgeAlias(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  if (call.args.some((arg) => arg.text.includes("=") || arg.dynamic)) run.aliased = true;
}

/** `su`: the string of `-c` runs as another user; without it a shell starts. */
export function judgeSu(run: Run, call: Call): void {
  const index = call.args.findIndex((arg) => /^(?:-[a-zA-Z]*c|--command|--session-command)$/.test(arg.text));
  const attached = call.args.find((arg) => /^--(?:session-)?command=/.test(arg.text));
  const code = attached === undefined ? call.args[index + 1] : { ...attached, text: attached.text.replace(/^[^=]*=/, "") };
  if ((index !== -1 || attached !== undefined) && code !== undefined) return judgeCode(run, { arg: code, call }, { fresh: true });
  recordCommand(run, call.name, call);
  report(run, "unverifiable.interactive-shell", call.argv[0]!);
}
