import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
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
