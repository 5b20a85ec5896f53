/** A program with its arguments and its whole environment. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** True when one byte on descriptor 3 says that the command itself begins; without it nothing was executed. */
  readonly announces?: boolean;
  /** True when the same descriptor also says how the command ended, since the exit code of this program hides it. */
  readonly reports?: boolean;
  /** Called once when the command is over, however it ended. */
  readonly release?: () => void;
  /** Sends SIGTERM to the command behind a process of this launch; false when it is not there, and the whole group gets it. */
  readonly terminate?: (pid: number) => boolean;
  /** Whether a command has more processes than it may have, where no limit of the system holds it; it is killed then. */
  readonly isOverfull?: (pid: number) => boolean;
}

/** Wraps a command line, for instance in a sandbox. `argv` starts with the absolute path of bash. */
export type Launcher = (
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Launch | Promise<Launch>;

/** How a program runs. */
export interface ProgramOptions {
  /** Working directory, an absolute path. */
  readonly cwd: string;
  /** The whole environment; see `commandEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends the command like a timeout does. */
  readonly signal?: AbortSignal;
  /** For each of stdout and stderr. */
  readonly outputCapBytes?: number;
  readonly launcher?: Launcher;
  /** Called right before the program is spawned, each time that this is tried; what it throws, nothing runs on. */
  readonly beforeSpawn?: (() => void) | undefined;
}

/** How a command ended (design §7). A non-zero exit is a result like any other. */
export interface RunResult {
  /** Null when a signal ended it. */
  readonly exit_code: number | null;
  /** Name of the signal that ended it, such as `SIGTERM`; null when it exited. */
  readonly signal: string | null;
  readonly timed_out: boolean;
  /** Whether part of stdout or stderr was left out. */
  readonly truncated: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly duration_ms: number;
}
