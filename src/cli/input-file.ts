import { accessSync, constants, createReadStream, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { ConfigError, errorCode } from "../config/config-error.ts";

/**
 * Checks a file named on the command line before anything is loaded. Pipes are fine: `<(…)` gives one.
 * @throws ConfigError `config.command_line`
 */
export function checkInputFile(path: string): void {
  let directory: boolean;
  try {
    directory = statSync(path).isDirectory();
    accessSync(path, constants.R_OK);
  } catch (cause) {
    const code = errorCode(cause);
    throw new ConfigError("config.command_line", `input \`${path}\` ${code === "ENOENT" ? "does not exist" : `cannot be read (${code})`}`, {
      cause,
    });
  }
  if (directory) throw new ConfigError("config.command_line", `input \`${path}\` is a directory: give a file`);
}

/** The bytes of the named file, or stdin when none is named or the name is `-`. */
export function openInput(path: string | undefined, stdin: Readable): Readable {
  return path === undefined || path === "-" ? stdin : createReadStream(path);
}
