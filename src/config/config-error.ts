/** Stable codes of a refusal to start, in the order in which they are judged (design §3, exit codes). */
export type ConfigErrorCode =
  | "config.command_line"
  | "config.option"
  | "config.file"
  | "config.allowlist"
  | "config.bundle"
  | "config.sandbox";

/** A refusal to start: `main.ts` prints its message as one stderr line and exits 2 (design §3). */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigError";
    this.code = code;
  }
}

/** The system's code of an error, such as `ENOENT`; never its message, which repeats paths. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "unknown error";
}
