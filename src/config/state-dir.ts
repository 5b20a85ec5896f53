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

/** What stands at a path: a directory, nothing yet, or something that can never hold state. */
function stateDirProblem(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined || stats.isDirectory() ? undefined : "is not a directory";
  } catch (error) {
    return `cannot be used (${errorCode(error)})`;
  }
}

/**
 * Refuses a state directory that exists but is something else. It is not made here: nothing is, before the bundle is judged.
 * @param given the path as the user gave it, for the message
 * @throws ConfigError `config.option`
 */
export function checkStateDir(path: string, given: string): void {
  const problem = stateDirProblem(path);
  if (problem === undefined) return;
  throw new ConfigError("config.option", `state directory \`${given}\` ${problem}: give a directory, or a path where one can be made`);
}
