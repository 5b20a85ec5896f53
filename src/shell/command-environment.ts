import { AGENT_CHILD_VARIABLE } from "../call/agent-child.ts";
import { shellError } from "./shell-error.ts";

/** Where commands find programs; fixed, so that a search path from outside cannot put another program in front. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** What is taken over from the server's own environment, and nothing else (design §7, reference/shell.md §12). */
const TAKEN = ["HOME", "LANG", "LC_ALL", "TZ", "USER"] as const;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that make bash, or the loader of every program, run or read something else. */
const REFUSED =
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|PS4|PROMPT_COMMAND|IFS|CDPATH|GLOBIGNORE|POSIXLY_CORRECT|BASH_FUNC_.*|LD_.*|DYLD_.*)$/;

/**
 * Builds the environment of commands from an allow-list; no token, no agent socket and no setting of the server gets through.
 * @param source the server's environment
 * @returns PATH (fixed), TERM=dumb, REGATE_AGENT_CHILD=1 (what an agent starts decides nothing, design §8), and HOME, LANG, LC_ALL, TZ and USER where they are set
 */
export function commandEnvironment(source: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const env: Record<string, string> = { PATH, TERM: "dumb", [AGENT_CHILD_VARIABLE]: "1" };
  for (const name of TAKEN) {
    const value = source[name];
    if (value !== undefined && value !== "" && !value.includes("\0")) env[name] = value;
  }
  return env;
}

/**
 * Checks an environment before it is used, whoever built it.
 * @throws Error `shell.environment_refused` for a name that could change what bash runs, that is no name, or a value with a NUL
 */
export function checkEnvironment(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!NAME.test(name) || REFUSED.test(name) || value.includes("\0")) {
      throw shellError("shell.environment_refused", "a variable of the command's environment is not allowed");
    }
  }
}
