import { existsSync } from "node:fs";
import { visible } from "../call/visible.ts";
import { ConfigError } from "../config/config-error.ts";
import { resolveGovernOptions, type GovernOptions } from "../config/govern-options.ts";
import { surroundings } from "../config/sources.ts";
import { checkWritable } from "../config/state-dir.ts";
import { parseDuration } from "../govern/duration.ts";
import type { Signed } from "../govern/elevations.ts";
import { KEY_NAME } from "../govern/key-pair.ts";
import { isOwner, MAX_AGENT_ID, MAX_OWNER, PUBLIC_ID, SESSION_ID } from "../govern/names.ts";
import type { Arguments, Io, OptionSpec } from "./command.ts";
import { write } from "./output.ts";
import { settingOptions } from "./setting-options.ts";

/** Longest reason or name that a person gives on the command line. */
const MAX_TEXT = 1_000;

function textProblem(text: string): string | undefined {
  if (text.trim() === "") return "must not be empty";
  return text.length <= MAX_TEXT && text.isWellFormed() ? undefined : `must be at most ${MAX_TEXT} characters of well-formed text`;
}

function sessionProblem(text: string): string | undefined {
  return SESSION_ID.test(text) ? undefined : "is no id of a session: 1 to 128 of letters, digits, `.`, `_` and `-`";
}

function agentProblem(text: string): string | undefined {
  return text.length <= MAX_AGENT_ID ? textProblem(text) : `must be at most ${MAX_AGENT_ID} characters`;
}

function ownerProblem(text: string): string | undefined {
  if (text.trim() === "") return "must not be empty";
  return isOwner(text) ? undefined : `must be visible text of at most ${MAX_OWNER} characters without blanks at its ends`;
}

function keyProblem(name: string): string | undefined {
  return KEY_NAME.test(name) ? undefined : "names no key: give 1 to 32 of a-z, 0-9 and -, no - at its ends";
}

/** Flags that commands of human decisions share. */
export const GOVERN_FLAGS = {
  key: {
    name: "key",
    kind: "text",
    placeholder: "NAME",
    describe: "name of the key that signs this (regate keys create)",
    problem: keyProblem,
  },
  owner: {
    name: "owner",
    kind: "text",
    placeholder: "WHO",
    describe: "the human who holds the key (default: the user of this shell)",
    problem: ownerProblem,
  },
  reason: { name: "reason", kind: "text", placeholder: "TEXT", describe: "why, for the record", problem: textProblem },
  session: { name: "session", kind: "text", placeholder: "ID", describe: "the session with this id", problem: sessionProblem },
  agent: { name: "agent", kind: "text", placeholder: "ID", describe: "all sessions of the agent with this id", problem: agentProblem },
  json: { name: "json", kind: "switch", describe: "print JSON" },
  for: (fallback: string): OptionSpec => ({
    name: "for",
    kind: "text",
    placeholder: "TIME",
    describe: `how long, such as 90s, 10m or 1h30m, at most 24h (default: ${fallback})`,
    problem: (value) =>
      parseDuration(value) === undefined ? "must be a time such as 90s, 10m or 1h30m, above zero and at most 24h" : undefined,
  }),
} as const satisfies Record<string, OptionSpec | ((fallback: string) => OptionSpec)>;

/** The flags that say where the stores, and this user's keys, are. */
export function placeOptions(): readonly OptionSpec[] {
  return settingOptions(["stateDir", "keysDir"]);
}

/** The same, for a command that writes in the state directory. @throws ConfigError when this user may not */
export async function writableGovernOptions(args: Arguments): Promise<GovernOptions> {
  const options = await governOptions(args);
  checkWritable(options.stateDir, STATE_DIR);
  return options;
}

/** How the state directory is named when it cannot be written. */
export const STATE_DIR = { what: "state directory", flag: "--state-dir" } as const;

/** Where the stores and the keys are. @throws ConfigError */
export async function governOptions(args: Arguments): Promise<GovernOptions> {
  return await resolveGovernOptions(args, surroundings());
}

/** The one word that a command needs. @throws ConfigError `config.command_line` when it is missing */
export function neededWord(args: Arguments, { command, what }: { readonly command: string; readonly what: string }): string {
  const [word] = args.words;
  if (word === undefined || word === "")
    throw new ConfigError("config.command_line", `${what} is missing (see \`regate ${command} --help\`)`);
  return word;
}

/** The public id that a command needs. @throws ConfigError `config.command_line` when it is missing or none */
export function neededId(args: Arguments, { command, of }: { readonly command: string; readonly of: string }): string {
  const word = neededWord(args, { command, what: `the id of the ${of}` });
  if (PUBLIC_ID.test(word)) return word;
  const article = /^[aeiou]/.test(of) ? "an" : "a";
  throw new ConfigError("config.command_line", `\`${word}\` is no id of ${article} ${of}: give 32 lower-case hex digits`);
}

/** The value of a flag that a command needs. @throws ConfigError `config.command_line` when it is missing */
export function neededFlag(args: Arguments, { command, flag }: { readonly command: string; readonly flag: string }): string {
  const value = args.values.get(flag);
  if (value === undefined) throw new ConfigError("config.command_line", `\`--${flag}\` is missing (see \`regate ${command} --help\`)`);
  return value;
}

/** The seconds of a flag that holds a time. */
export function durationOf(args: Arguments, { flag, fallback }: { readonly flag: string; readonly fallback: string }): number {
  return (parseDuration(args.values.get(flag) ?? fallback) ?? 0) / 1_000;
}

/**
 * Opens the key that `--key` names, to sign now.
 * @throws ConfigError when the flag is missing; GovernError when the key cannot be used
 */
export async function signed(args: Arguments, command: string): Promise<{ readonly stateDir: string; readonly by: Signed }> {
  const name = neededFlag(args, { command, flag: "key" });
  const places = await writableGovernOptions(args);
  const { openKey } = await import("../govern/keys.ts");
  return { stateDir: places.stateDir, by: { key: openKey(places, name), now: new Date() } };
}

/** Says that no session with this id has been here, if so: a stop or grant for a mistyped id reaches nobody, and looks as if it did. */
export async function noteUnknownSession(io: Io, stateDir: string, session: string | undefined): Promise<void> {
  if (session === undefined) return;
  const { decisionLogFile } = await import("../audit/decision-log.ts");
  const log = decisionLogFile(stateDir, session);
  if (!existsSync(log)) io.note(`no session \`${visible(session)}\` is known here, so check its id: there is no \`${visible(log)}\``);
}

/** Says what was done. It is done whether or not this can be read: then stderr says it, so that nobody does it again. */
export async function tellDone(io: Io, what: string): Promise<void> {
  try {
    await write(io.stdout, `${what}\n`);
  } catch {
    io.note(what);
  }
}

/** Prints a list: as JSON, or as a table whose cells show control and format characters as escapes. */
export async function printList(
  io: Io,
  rows: readonly object[],
  form: { readonly json: boolean; readonly columns: readonly string[] },
): Promise<void> {
  if (form.json) return await write(io.stdout, `${JSON.stringify(rows, undefined, 2)}\n`);
  const cells = rows.map((row) => form.columns.map((column) => cellOf((row as Readonly<Record<string, unknown>>)[column])));
  const table = [form.columns.map((column) => column.toUpperCase().replaceAll("_", " ")), ...cells];
  const widths = form.columns.map((_, index) => Math.max(...table.map((line) => line[index]?.length ?? 0)));
  const text = table.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return await write(io.stdout, `${text.join("\n")}\n`);
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "-";
  if (typeof value === "object") return visible(Array.isArray(value) ? value.join(",") : JSON.stringify(value));
  return visible(typeof value === "string" ? value : JSON.stringify(value));
}
