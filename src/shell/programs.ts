import { accessSync, constants, statSync } from "node:fs";
import { shellError } from "./shell-error.ts";

const PLACES = ["/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"];
const found = new Map<string, string>();

/**
 * Absolute path of bash, looked for at fixed places and never through a search path; it must be a regular file that can be executed.
 * @throws Error `shell.bash_missing`
 */
export function bashPath(): string {
  return programPath("bash");
}

/**
 * Absolute path of mkfifo, which makes the pipes of commands.
 * @throws Error `shell.bash_missing`, since a system without it has no usable shell either
 */
export function mkfifoPath(): string {
  return programPath("mkfifo");
}

/** Absolute path of bubblewrap at one of the fixed places; undefined where it is not installed. */
export function bwrapPath(): string | undefined {
  return PLACES.map((place) => `${place}/bwrap`).find(isProgram);
}

/**
 * Absolute path of stat, with which a command's sandbox is checked before the command begins.
 * @throws Error `shell.bash_missing`, since a system without it has no usable shell either
 */
export function statPath(): string {
  return programPath("stat");
}

/**
 * Absolute path of nice.
 * @throws Error `shell.bash_missing`, since a system without it has no usable shell either
 */
export function nicePath(): string {
  return programPath("nice");
}

function programPath(name: string): string {
  const known = found.get(name);
  if (known !== undefined) return known;
  const path = PLACES.map((place) => `${place}/${name}`).find(isProgram);
  if (path === undefined) throw shellError("shell.bash_missing", `no \`${name}\` in ${PLACES.join(", ")}`);
  found.set(name, path);
  return path;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
