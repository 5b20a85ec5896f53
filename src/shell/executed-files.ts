import type { ShellAnalysis, ShellCommand, ShellWord } from "../call/tool-call.ts";
import { readArguments, fixedSyntax } from "./arguments.ts";
import { analyseCommand } from "./analyse.ts";
import { DISGUISED, undisguised } from "./precheck.ts";
import type { Arg } from "./state.ts";
import { codeFileOptions, interpreterOf, isShell, MAKEFILES, programBase, RUNS_FILES, RUNS_FIRST } from "./executed-programs.ts";
import type { CodeFileRow } from "./executed-programs.ts";

/** A file that a command executes or sources. */
export type ExecutedFile =
  /** As the command names it; relative to the working directory. */
  | { readonly kind: "file"; readonly path: string }
  /** The first of these that exists is read by `make`, if one does. */
  | { readonly kind: "makefile"; readonly paths: readonly string[] };

/** What an approval of a command has to be bound to, or why nothing can be. */
export type ExecutedFiles =
  | { readonly ok: true; readonly files: readonly ExecutedFile[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Findings that leave the text that runs fixed: it stands on the line, or in a file that the line names. Every other unverifiable finding
 * means that something else decides what runs.
 */
const FIXED =
  /^unverifiable\.(?:code\.\w+|script-file|local-program|opaque-program|interactive-shell|git\.helpers|git\.transport|redirect-target|dynamic-mode|dynamic-directory)$/;

/** Wrappers that leave the working directory as it is. */
const STAYING = new Set(
  "bash sh dash zsh ksh eval exec command builtin trap source . timeout nice ionice nohup time setsid stdbuf env sudo doas xargs watch find parallel flock chrt taskset catchsegv strace ltrace unbuffer ts".split(
    " ",
  ),
);
const MOVES = /(?:^|\s)(?:-C|-D|-execdir|-okdir|--chdir|--execdir|--work-?dir|--cwd)(?:\s|=|\S)/;
const MOVING = new Set(["cd", "pushd", "popd", "chdir"]);

/**
 * Finds every file that a command executes or sources by name: scripts of shells and interpreters, `.` and `source`, `./program`, makefiles,
 * programs of awk, sed and the like, and what `<` gives (trials A01). What such files start in turn is not followed.
 * @param analysis analysis of the command
 * @param command the command itself
 */
export function executedFiles(analysis: ShellAnalysis, command: string): ExecutedFiles {
  if (analysis.findings.some(({ rule }) => DISGUISING.has(rule)) && !command.includes("\0")) {
    const plain = undisguised(command);
    return executedIn(analyseCommand(plain), plain);
  }
  return executedIn(analysis, command);
}

/** Nothing of such a command was parsed. */
const DISGUISING = new Set(["unverifiable.control-character", "unverifiable.hidden-character"]);

function executedIn(analysis: ShellAnalysis, command: string): ExecutedFiles {
  const open = analysis.findings.find(({ rule, verdict }) => verdict === "unverifiable" && !FIXED.test(rule));
  if (open !== undefined) return { ok: false, problem: `what runs is not fixed by the command (${open.rule})` };
  const found: Found = { files: [], problem: undefined };
  for (const one of analysis.commands) filesOf(found, one);
  for (const { op, target } of analysis.redirects) if (op === "<" && !isDevice(target)) add(found, target);
  if (found.problem !== undefined) return { ok: false, problem: found.problem };
  const relative = found.files.some((file) => file.kind === "makefile" || !file.path.startsWith("/"));
  if (relative && isMoved(analysis.commands, command))
    return { ok: false, problem: "the command leaves the working directory before it runs a file" };
  const written = writtenFile(analysis, found.files);
  return written === undefined ? { ok: true, files: found.files } : { ok: false, problem: "the command writes a file that it also runs" };
}

interface Found {
  readonly files: ExecutedFile[];
  problem: string | undefined;
}

function filesOf(found: Found, { name, argv }: ShellCommand): void {
  const [head, ...rest] = argv;
  if (head === undefined || name === "") return;
  if (typeof head !== "string") return void (found.problem ??= "the program is not fixed by the command");
  if (head.includes("/") && !isOfSystem(head)) add(found, head);
  const args = rest.map(argOf);
  const program = programBase(name);
  const row = codeFileOptions(program);
  if (row !== undefined) addOptionFiles(found, args, row);
  if (isShell(program)) return shellFiles(found, args);
  if (program === "." || program === "source") return addFirst(found, args);
  if (program === "make" || program === "gmake") return makeFiles(found, args);
  if (RUNS_FILES.has(program)) return addOperands(found, args);
  if (RUNS_FIRST.has(program)) return addOperands(found, args.filter(isOperand).slice(0, 1));
  const interpreter = interpreterOf(program);
  if (interpreter !== undefined) interpreterFiles(found, args, interpreter);
}

function shellFiles(found: Found, args: readonly Arg[]): void {
  for (const [index, arg] of args.entries()) {
    if (/^--(?:rcfile|init-file)/.test(arg.text)) return void (found.problem ??= "a start file of the shell is named");
    if (arg.text === "-c" || /^-[a-z]*c$/.test(arg.text)) return;
    if (/^[-+][a-zA-Z]*[oO]$/.test(arg.text)) return shellFiles(found, args.slice(index + 2));
    if (!/^[-+]./.test(arg.text)) return add(found, arg);
  }
}

function interpreterFiles(found: Found, args: readonly Arg[], row: NonNullable<ReturnType<typeof interpreterOf>>): void {
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as Arg;
    if (arg.text === "--") return addFirst(found, args.slice(index + 1));
    if (!arg.text.startsWith("-") || arg.text === "-") {
      if (row.verbs.has(arg.text)) return;
      if (!RUN_VERBS.has(arg.text)) return add(found, arg);
      continue;
    }
    const name = arg.text.startsWith("--") ? (arg.text.split("=")[0] as string) : arg.text.slice(0, 2);
    if (row.language === "python" && name === "-m") return void (found.problem ??= "a module is named, not a file");
    if (isInlineCode(row, arg.text, name)) return;
    if (row.valued.has(arg.text) || (row.valued.has(name) && name === arg.text)) index += 1;
  }
}

/** `deno run FILE`, `bun run FILE`. */
const RUN_VERBS = new Set(["run", "test", "watch"]);

function isInlineCode(row: { readonly code: ReadonlySet<string> }, text: string, name: string): boolean {
  return row.code.has(text) || row.code.has(name) || (/^-[a-zA-Z]+$/.test(text) && row.code.has(`-${text.at(-1) ?? ""}`));
}

function makeFiles(found: Found, args: readonly Arg[]): void {
  const { options } = readArguments(
    args,
    fixedSyntax(new Set(["-f", "-C", "-I", "-o", "-W", "-E", "--file", "--makefile", "--directory"])),
  );
  if (options.some(({ name }) => ["-C", "--directory", "-I", "--include-dir", "-E", "--eval"].includes(name)))
    return void (found.problem ??= "make is told to look elsewhere");
  const given = options.filter(({ name }) => ["-f", "--file", "--makefile"].includes(name));
  if (given.length === 0) found.files.push({ kind: "makefile", paths: MAKEFILES });
  for (const { value } of given) {
    const path = staticPath(value);
    if (path === undefined) found.problem ??= "a makefile is not fixed by the command";
    else found.files.push({ kind: "makefile", paths: [path] });
  }
}

function addOptionFiles(found: Found, args: readonly Arg[], row: CodeFileRow): void {
  if (row.verbs !== undefined && !args.some(({ text }) => row.verbs?.has(text))) return;
  const { options } = readArguments(args, fixedSyntax(row.options, { single: row.single }));
  for (const { name, value } of options) {
    if (!row.options.has(name)) continue;
    const isPath = value !== undefined && (row.modules !== true || /^\.{0,2}\//.test(value.text));
    if (isPath) add(found, value);
    else found.problem ??= `\`${name}\` names a module, not a file`;
  }
}

function addFirst(found: Found, args: readonly Arg[]): void {
  const [first] = args;
  if (first === undefined) found.problem ??= "no file is named";
  else add(found, first);
}

function addOperands(found: Found, args: readonly Arg[]): void {
  for (const arg of args.filter(isOperand)) add(found, arg);
}

function isOperand({ text }: Arg): boolean {
  return !text.startsWith("-");
}

function add(found: Found, word: Arg | ShellWord): void {
  const path = staticPath(word);
  if (path === undefined) found.problem ??= "a file that runs is named by a pattern, a variable or an address";
  else found.files.push({ kind: "file", path });
}

function staticPath(word: Arg | ShellWord | undefined): string | undefined {
  if (word === undefined) return undefined;
  if (typeof word !== "string" && word.dynamic) return undefined;
  const { text } = typeof word === "string" ? { text: word } : word;
  return text === "" || text === "-" || text.includes(DISGUISED) || /^(?:~|[a-z][a-z0-9+.-]*:\/\/|\/dev\/|\/proc\/)/i.test(text)
    ? undefined
    : text;
}

function argOf(word: ShellWord): Arg {
  const [text, dynamic] = typeof word === "string" ? [word, false] : [word.text, true];
  return { text, raw: text, dynamic, glob: false, start: 0, end: 0 };
}

function isMoved(commands: readonly ShellCommand[], command: string): boolean {
  if (commands.some(({ name }) => MOVING.has(name))) return true;
  const wrapped = commands.filter(({ via }) => via.length > 0);
  return wrapped.some(({ via }) => !via.map(programBase).every(isStaying)) || (wrapped.length > 0 && MOVES.test(command));
}

function isStaying(program: string): boolean {
  return STAYING.has(program) || interpreterOf(program) !== undefined;
}

/** Folders of the system: what lies there is not the agent's. */
function isOfSystem(path: string): boolean {
  return /^\/(?:usr\/(?:local\/)?)?(?:s?bin|lib(?:exec|32|64)?)\/(?!.*\/\.\.(?:\/|$))/.test(path);
}

function isDevice(word: ShellWord): boolean {
  return typeof word === "string" ? word === "/dev/null" : false;
}

function writtenFile({ redirects }: ShellAnalysis, files: readonly ExecutedFile[]): string | undefined {
  const names = new Set(files.flatMap((file) => (file.kind === "file" ? [plain(file.path)] : file.paths.map(plain))));
  for (const { op, target } of redirects) {
    if (op.includes(">") && typeof target === "string" && names.has(plain(target))) return target;
  }
  return undefined;
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/+)+/, "").replaceAll(/\/+(?:\.\/+)*/g, "/");
}
