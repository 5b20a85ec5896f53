import type { JsonValue } from "../call/json.ts";
import { REDACTED } from "./secret-patterns.ts";
import { endOfWord, valueReader } from "./secret-value.ts";
import type { OnSecret } from "./mask-assignments.ts";

/** An option of one program whose value is a secret although its name does not say so. */
interface SecretOption {
  /** Regular expression source for the program's name. */
  readonly program: string;
  /** Word that must be in the command too: `docker login -p` takes a password, `docker run -p` a port. */
  readonly subcommand?: string;
  readonly option: string;
  /** Where the value stands: in the same word (`mysql -phunter2`), as the next word (`sshpass -p hunter2`), or either. */
  readonly value: "attached" | "next" | "either";
}

/** From the programs' own manuals. */
const OPTIONS: readonly SecretOption[] = [
  { program: "sshpass", option: "-p", value: "either" },
  { program: "(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)", option: "-p", value: "attached" },
  { program: "(?:docker|podman|buildah|skopeo|helm|oras)", subcommand: "login", option: "-p", value: "next" },
  { program: "az", subcommand: "login", option: "-p", value: "next" },
  { program: "redis-cli", option: "-a", value: "next" },
  { program: "sqlcmd", option: "-P", value: "either" },
  { program: "ldap(?:search|add|modify|delete|passwd|whoami)", option: "-w", value: "either" },
  { program: "(?:zip|unzip)", option: "-P", value: "either" },
  { program: "mongo(?:sh|dump|restore|export|import)?", option: "-p", value: "next" },
];

/** How far behind its program an option is looked for, within one command. */
const REACH = 512;
const BETWEEN = { attached: "", next: "[ \\t]+", either: "[ \\t]*" } as const;

interface CompiledOption {
  readonly program: RegExp;
  readonly subcommand: RegExp | undefined;
  readonly option: RegExp;
}

const COMPILED: readonly CompiledOption[] = OPTIONS.map(({ program, subcommand, option, value }) => ({
  program: new RegExp(`(?<![\\w.-])${program}(?![\\w.-])`, "g"),
  subcommand: subcommand === undefined ? undefined : new RegExp(`[ \\t]${subcommand}(?![\\w.-])`),
  option: new RegExp(`[ \\t]${option}${BETWEEN[value]}(?=[^\\s-])`),
}));
/** Some program of the table: most texts name none. */
const ANY_PROGRAM = new RegExp(`(?<![\\w.-])(?:${OPTIONS.map(({ program }) => program).join("|")})(?![\\w.-])`);

/** Some option of the table: looked for first, since that is quicker. */
const ANY_OPTION = new RegExp(`[ \\t]-[${[...new Set(OPTIONS.map(({ option }) => option.slice(1)))].join("")}]`);

/**
 * Masks secrets that programs take in options with meaningless names, in the text of a command.
 * @param text a command, or any text
 * @param onSecret told each value that was masked
 */
export function maskPrograms(text: string, onSecret: OnSecret): string {
  if (!ANY_OPTION.test(text) || !ANY_PROGRAM.test(text)) return text;
  return COMPILED.reduce((masked, compiled) => maskOption(masked, compiled, onSecret), text);
}

/**
 * Masks such secrets in a command that is already split into words; what is not a string (a word that is only known when it runs) stays.
 * @returns the words, the same array when nothing was masked
 */
export function maskProgramWords(words: readonly JsonValue[], onSecret: OnSecret): readonly JsonValue[] {
  const program = typeof words[0] === "string" ? words[0].slice(words[0].lastIndexOf("/") + 1) : "";
  if (!ANY_PROGRAM.test(program)) return words;
  const found = OPTIONS.find((option) => new RegExp(`^${option.program}$`).test(program) && hasSubcommand(words, option));
  if (found === undefined) return words;
  const masked = words.map((word, at) => maskWord({ word, before: words[at - 1], found, onSecret }));
  return masked.some((word, at) => word !== words[at]) ? masked : words;
}

function hasSubcommand(words: readonly JsonValue[], { subcommand }: SecretOption): boolean {
  return subcommand === undefined || words.includes(subcommand);
}

interface WordInPlace {
  readonly word: JsonValue;
  readonly before: JsonValue | undefined;
  readonly found: SecretOption;
  readonly onSecret: OnSecret;
}

function maskWord({ word, before, found, onSecret }: WordInPlace): JsonValue {
  if (typeof word !== "string" || word === "") return word;
  if (found.value !== "attached" && before === found.option && !word.startsWith("-")) {
    onSecret(word);
    return REDACTED;
  }
  if (found.value === "next" || !word.startsWith(found.option) || word.length === found.option.length) return word;
  onSecret(word.slice(found.option.length));
  return found.option + REDACTED;
}

function maskOption(text: string, { program, subcommand, option }: CompiledOption, onSecret: OnSecret): string {
  let out = "";
  let done = 0;
  for (const match of text.matchAll(program)) {
    if (match.index < done) continue;
    const command = text.slice(match.index, match.index + REACH).split(/[;&|\n]/, 1)[0] ?? "";
    const found = subcommand === undefined || subcommand.test(command) ? option.exec(command) : null;
    if (found === null) continue;
    const start = match.index + found.index + found[0].length;
    const span = valueReader(text).read(start) ?? { start, end: endOfWord(text, start) };
    if (span.end === span.start || text.startsWith(REDACTED, span.start) || text[span.start] === "$") continue;
    onSecret(text.slice(span.start, span.end));
    out += text.slice(done, span.start) + REDACTED;
    done = span.end;
  }
  return done === 0 ? text : out + text.slice(done);
}
