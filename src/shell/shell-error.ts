/** Codes of errors of the runner: in each of these cases nothing was executed. */
export type ShellErrorCode =
  /** The command holds a NUL, is longer than 65,536 bytes or is no well-formed text. */
  | "shell.command_refused"
  /** The command is not the one that was classified. */
  | "shell.command_changed"
  /** A variable of the environment could change what bash runs, or has no valid name. */
  | "shell.environment_refused"
  /** No bash at any of the fixed places. */
  | "shell.bash_missing"
  /** The working directory does not exist or is no directory. */
  | "shell.workdir_missing"
  /** The system could not start the process. */
  | "shell.spawn_failed"
  /** The sandbox could not be set up as it was promised; a command is never run without it instead. */
  | "shell.sandbox_failed"
  /** Policy demands a sandbox for a command, and this server has none. */
  | "shell.sandbox_missing"
  /** Cancelled before it began. */
  | "shell.cancelled";

/** An error of the runner: `code` says what happened, `cause` keeps the original. */
export interface ShellError extends Error {
  readonly code: ShellErrorCode;
}

/** Makes an error with a code. `message` is lower case prose without a final period and without the command's text. */
export function shellError(code: ShellErrorCode, message: string, cause?: unknown): ShellError {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });
}

/** Tells whether an error is one of the runner's own. */
export function isShellError(error: unknown): error is ShellError {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("shell.");
}
