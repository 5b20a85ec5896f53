import { ConfigError } from "../config/config-error.ts";
import type { Command, OptionSpec } from "./command.ts";

/** What the command line asks for, rewritten so that a parser can read it in one way only. */
export interface Screened {
  readonly ask: "run" | "help" | "version";
  /** The command, or for help the words of a group such as `policy`. */
  readonly command?: Command;
  readonly path: readonly string[];
  /** The command's flags as `--name=value` and `--name`, then `--` and its words. */
  readonly argv: readonly string[];
}

/** Flags of the program itself. */
export const ROOT_OPTIONS: readonly OptionSpec[] = [
  { name: "help", short: "h", kind: "switch", describe: "show help" },
  { name: "version", kind: "switch", describe: "show the versions of Regate and OPA" },
];
const HELP = ROOT_OPTIONS.filter((option) => option.name === "help");

interface Scan {
  readonly commands: readonly Command[];
  readonly tokens: readonly string[];
  next: number;
  command: Command | undefined;
  path: readonly string[];
  /** The flag that stands right before the current token and takes no value, for a better message. */
  afterSwitch: string | undefined;
  readonly flags: string[];
  readonly words: string[];
  readonly seen: Set<string>;
}

function usageError(scan: Scan, what: string): ConfigError {
  return new ConfigError("config.command_line", `${what} (see \`${["regate", ...scan.path, "--help"].join(" ")}\`)`);
}

function optionsOf(scan: Scan): readonly OptionSpec[] {
  return scan.command === undefined ? ROOT_OPTIONS : [...scan.command.options, ...HELP];
}

function valueProblem(option: OptionSpec, value: string): string | undefined {
  if (value === "") return option.emptyAllowed === true ? undefined : "must not be empty";
  if (option.choices !== undefined && !option.choices.includes(value))
    return `must be ${option.choices.map((choice) => `\`${choice}\``).join(" or ")}`;
  return option.problem?.(value);
}

function addSwitch(scan: Scan, option: OptionSpec, flag: { given: string; value: string | undefined }): void {
  if (flag.value !== undefined && !(option.assignable === true && /^(true|false)$/.test(flag.value))) {
    throw usageError(scan, `\`${flag.given}\` takes no value: \`${flag.value}\``);
  }
  if (scan.seen.has(option.name)) throw usageError(scan, `\`${flag.given}\` is given twice`);
  scan.seen.add(option.name);
  if (flag.value === undefined) scan.afterSwitch = flag.given;
  if (flag.value !== "false") scan.flags.push(`--${option.name}`);
}

function addValue(scan: Scan, option: OptionSpec, flag: { given: string; value: string | undefined }): void {
  let value = flag.value;
  if (value === undefined) {
    value = scan.tokens[scan.next];
    scan.next += 1;
    if (value === undefined || value.startsWith("--")) throw usageError(scan, `\`${flag.given}\` needs a value`);
  }
  const problem = valueProblem(option, value);
  if (problem !== undefined) throw usageError(scan, `\`${flag.given}\`: \`${value}\` ${problem}`);
  if (option.kind === "text" && scan.seen.has(option.name)) throw usageError(scan, `\`${flag.given}\` is given twice`);
  scan.seen.add(option.name);
  scan.flags.push(`--${option.name}=${value}`);
}

function longFlag(scan: Scan, token: string): void {
  const equals = token.indexOf("=");
  const given = equals === -1 ? token : token.slice(0, equals);
  const value = equals === -1 ? undefined : token.slice(equals + 1);
  const option = optionsOf(scan).find((candidate) => `--${candidate.name}` === given);
  if (option === undefined) throw usageError(scan, `unknown flag \`${given}\``);
  if (option.kind === "switch") addSwitch(scan, option, { given, value });
  else addValue(scan, option, { given, value });
}

/** Short flags as OPA's commands take them: `-v`, `-vc`, `-r text`, `-r=text`, `-rtext`. */
function shortFlags(scan: Scan, token: string): void {
  for (let at = 1; at < token.length; at += 1) {
    const given = `-${token[at] ?? ""}`;
    const rest = token.slice(at + 1);
    const option = optionsOf(scan).find((candidate) => candidate.short === token[at]);
    if (option === undefined) throw usageError(scan, `unknown flag \`${at === 1 ? token : given}\``);
    const value = rest.startsWith("=") ? rest.slice(1) : undefined;
    if (option.kind !== "switch") return addValue(scan, option, { given, value: value ?? (rest === "" ? undefined : rest) });
    addSwitch(scan, option, { given, value });
    if (value !== undefined) return undefined;
  }
  return undefined;
}

function commandWord(scan: Scan, word: string): void {
  const path = [...scan.path, word];
  const matches = scan.commands.filter((command) => path.every((step, index) => command.path[index] === step));
  if (matches.length === 0) throw usageError(scan, `unknown command \`${path.join(" ")}\``);
  scan.path = path;
  scan.command = matches.find((command) => command.path.length === path.length);
}

/** A command such as `worker` may have others below it: the next word names one as long as nothing else was given. */
function isCommandBelow({ commands, path, flags, words }: Scan, word: string): boolean {
  if (flags.length > 0 || words.length > 0) return false;
  return commands.some((command) => [...path, word].every((step, index) => command.path[index] === step));
}

function plainWord(scan: Scan, word: string): void {
  if (scan.command === undefined || isCommandBelow(scan, word)) return commandWord(scan, word);
  const max = scan.command.words?.behindDashes === true ? 0 : (scan.command.words?.max ?? 0);
  if (scan.words.length >= max) {
    throw usageError(
      scan,
      `unexpected word \`${word}\`${scan.afterSwitch === undefined ? "" : ` after \`${scan.afterSwitch}\`, which takes no value`}`,
    );
  }
  scan.words.push(word);
  return undefined;
}

function scanToken(scan: Scan, token: string): void {
  if (token.startsWith("--")) return longFlag(scan, token);
  if (token.startsWith("-") && token !== "-") return shortFlags(scan, token);
  plainWord(scan, token);
  scan.afterSwitch = undefined;
  return undefined;
}

function outcome(scan: Scan): Screened {
  const { command, path } = scan;
  const asked = {
    path,
    argv: [...scan.flags, ...(scan.words.length === 0 ? [] : ["--", ...scan.words])],
    ...(command === undefined ? {} : { command }),
  };
  if (scan.seen.has("help")) return { ...asked, ask: "help" };
  if (scan.seen.has("version") && command === undefined) {
    if (path.length > 0) throw usageError(scan, "`--version` stands alone");
    return { ...asked, ask: "version" };
  }
  if (command === undefined) throw usageError(scan, path.length === 0 ? "no command given" : `\`${path.join(" ")}\` needs a command`);
  return { ...asked, ask: "run" };
}

/**
 * Reads the command line strictly (design §3): unknown flags, commands and stray words, repeated flags, flags without a value
 * and bad values are refused, and what is left is rewritten in one unambiguous form. yargs alone would let several of these
 * pass: repeats become arrays, `--no-x`, `--x.y` and camel-case spellings are read as other flags, and words after `--` are
 * not checked.
 * @throws ConfigError `config.command_line` that names the flag or word as given
 */
export function screenArgv(tokens: readonly string[], commands: readonly Command[]): Screened {
  const scan: Scan = {
    commands,
    tokens,
    next: 0,
    command: undefined,
    path: [],
    afterSwitch: undefined,
    flags: [],
    words: [],
    seen: new Set(),
  };
  while (scan.next < tokens.length) {
    const token = tokens[scan.next] ?? "";
    scan.next += 1;
    if (token === "--") {
      const rest = tokens.slice(scan.next);
      if (scan.command?.words?.behindDashes === true) scan.words.push(...rest);
      else for (const word of rest) plainWord(scan, word);
      break;
    }
    scanToken(scan, token);
  }
  return outcome(scan);
}
