import type { Readable, Writable } from "node:stream";

/** One flag of a command. */
export interface OptionSpec {
  readonly name: string;
  /** One letter, as OPA's commands have them. */
  readonly short?: string;
  /** `text` takes one value and may stand once, `list` may be repeated, `switch` takes no value. */
  readonly kind: "text" | "list" | "switch";
  readonly placeholder?: string;
  readonly describe: string;
  readonly choices?: readonly string[];
  /** What is wrong with a value, as a phrase that follows it. */
  readonly problem?: (value: string) => string | undefined;
  /** True when an empty value has a meaning. */
  readonly emptyAllowed?: boolean;
  /** A switch that also takes `=true` and `=false`, as OPA's do. */
  readonly assignable?: boolean;
}

/** The words that a command takes beside its flags. */
export interface WordsSpec {
  readonly name: string;
  readonly describe: string;
  readonly max: number;
  /** Words stand behind `--` only, and are taken as they are. */
  readonly behindDashes?: true;
}

/** The command line after parsing: form and values are already checked. */
export interface Arguments {
  readonly values: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly switches: ReadonlySet<string>;
  readonly words: readonly string[];
}

/** What a command may touch of the process; only `main.ts` makes the real one. */
export interface Io {
  readonly stdin: Readable;
  /** The command's output, or the protocol channel of `serve`. */
  readonly stdout: Writable;
  /** One line on stderr, prefixed with the program's name. */
  readonly note: (line: string) => void;
  /** Text for stderr as it stands: what tools of several lines report, such as compilers. */
  readonly stderr: (text: string) => void;
  /**
   * Starts to listen for SIGTERM and SIGINT; until then these end the process as usual.
   * @param limitMs how long after the signal the process must have ended by itself; just below 2 s unless given
   */
  readonly stopSignal: (limitMs?: number) => AbortSignal;
}

/** One command: its surface as data, and what it does. */
export interface Command {
  /** `["policy", "build"]` for `regate policy build`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  readonly words?: WordsSpec;
  /** Command line and what it does, for help. */
  readonly examples: readonly (readonly [string, string])[];
  /** Runs the command and gives the exit code. Loads what it needs itself, so that no command pays for another. */
  readonly run: (args: Arguments, io: Io) => Promise<number>;
}
