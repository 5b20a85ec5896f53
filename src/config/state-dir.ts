import { accessSync, constants, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { ConfigError, errorCode } from "./config-error.ts";

/**
 * State directory when no option names one: `$XDG_STATE_HOME/regate`, else `~/.local/state/regate` (design §3). A relative or
 * empty XDG_STATE_HOME is ignored, as the XDG Base Directory Specification demands.
 */
export function defaultStateDir(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const xdg = env["XDG_STATE_HOME"];
  return xdg !== undefined && isAbsolute(xdg) ? join(xdg, "regate") : join(home, ".local", "state", "regate");
}

/** What stands at a path: a directory, nothing yet, or something that can never be one. */
function folderProblem(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined || stats.isDirectory() ? undefined : "is not a directory";
  } catch (error) {
    return `cannot be used (${errorCode(error)})`;
  }
}

/**
 * Refuses a folder of Regate's own that exists but is something else. It is not made here: nothing is, before the bundle is judged.
 * @param named what the folder is, and its path as the user gave it, for the message
 * @throws ConfigError `config.option`
 */
export function checkFolder(path: string, { what, given }: { readonly what: string; readonly given: string }): void {
  const problem = folderProblem(path);
  if (problem === undefined) return;
  throw new ConfigError("config.option", `${what} \`${given}\` ${problem}: give a directory, or a path where one can be made`);
}

/**
 * Refuses a folder of Regate's own that this user may not write, or may not make: before anything is begun there.
 * @param named what the folder is, and the flag that gives another one
 * @throws ConfigError `config.option`
 */
export function checkWritable(path: string, { what, flag }: { readonly what: string; readonly flag: string }): void {
  let there = path;
  while (statSync(there, { throwIfNoEntry: false }) === undefined && dirname(there) !== there) there = dirname(there);
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const problem = `cannot be written by this user (${errorCode(cause)} at \`${there}\`)`;
    throw new ConfigError("config.option", `${what} \`${path}\` ${problem}: give another \`${flag}\`, or run as its owner`, { cause });
  }
}
