import { isAbsolute, resolve } from "node:path";
import { homedir, userInfo } from "node:os";
import type { ConfigFile } from "./config-file.ts";
import { ConfigError } from "./config-error.ts";
import { settingProblem, type Setting } from "./setting.ts";

/** The surroundings of the process, read once. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly pid: number;
}

/** Flags as the command line gave them, by setting name without dashes; switches are in `switches`. */
export interface FlagValues {
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
}

/** Where settings are looked up, in this order: flags, environment, file. */
export interface Sources extends Surroundings {
  readonly flags: FlagValues;
  readonly file?: ConfigFile;
}

/** A value with its origin: `from` is how a message names it, `base` is the folder that relative paths refer to. */
export interface Picked {
  readonly value: string;
  readonly from: string;
  readonly base: string;
}

/** An empty or relative `HOME` counts as not set: state must not depend on the folder in which a host starts the server. */
function homeOf(home: string): string {
  return isAbsolute(home) ? home : userInfo().homedir;
}

/** Takes the environment, working directory, home directory and process id of this process. */
export function surroundings(): Surroundings {
  return { env: { ...process.env }, cwd: process.cwd(), home: homeOf(homedir()), pid: process.pid };
}

function checked(setting: Setting, picked: Picked): Picked {
  const problem = settingProblem(setting, picked.value);
  if (problem !== undefined) throw new ConfigError("config.option", `${picked.from}: \`${picked.value}\` ${problem}`);
  return picked;
}

/**
 * The value of a setting by precedence: flag, `REGATE_*`, `ADSSH_*`, configuration file. An empty environment value counts as
 * not set; an empty flag value is kept where it has a meaning (design §3).
 * @throws ConfigError `config.option` when the value that counts is a bad one
 */
export function pick(setting: Setting, sources: Sources): Picked | undefined {
  const flag = sources.flags.values.get(setting.name);
  if (flag !== undefined) {
    const picked = { value: flag, from: `\`--${setting.name}\``, base: sources.cwd };
    return flag === "" && setting.emptyFlag === true ? picked : checked(setting, picked);
  }
  for (const name of setting.env) {
    const value = sources.env[name];
    if (value !== undefined && value !== "") return checked(setting, { value, from: `\`${name}\``, base: sources.cwd });
  }
  const entry = sources.file?.values.get(setting.name);
  if (entry === undefined || sources.file === undefined) return undefined;
  return checked(setting, { value: String(entry), from: `\`${setting.name}\` in \`${sources.file.given}\``, base: sources.file.folder });
}

/**
 * Whether a switch is on: by its flag, by `true` in any letter case and nothing else in any of its variables, or by `true` in
 * the file. No source can turn it off again (design §5, dry run).
 */
export function switchedOn(setting: Setting, sources: Sources): boolean {
  if (sources.flags.switches.has(setting.name)) return true;
  if (setting.env.some((name) => /^true$/i.test(sources.env[name] ?? ""))) return true;
  return sources.file?.values.get(setting.name) === true;
}

/** The path that a value names, relative to its source's base. */
export function pathOf(picked: Picked): string {
  return isAbsolute(picked.value) ? picked.value : resolve(picked.base, picked.value);
}
