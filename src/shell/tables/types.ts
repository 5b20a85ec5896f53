/** Switches for the policy choices of the tables (docs/shell-classification.md); each has a default in `choices.ts`. */
export type Choice =
  | "append"
  | "copy"
  | "move"
  | "in_place_edit"
  | "tee"
  | "compress"
  | "git_branch_delete"
  | "compose_down"
  | "container_stop"
  | "iac_plan_destroy"
  | "inline_code";

/**
 * One row of a program's verb table: a finding when every given part holds.
 * `verbs`: the first operands in order, blanks between them, `|` between alternatives, `*` for any, a final `*` for "begins with".
 * `first`: only the operand right after them may match. `options`: any of these is given. `value`: and its value matches. `operand`: any operand after the verbs matches.
 * `unless`: none of these options is given. `example` must have the finding, `clear` must not have it: both are tests.
 */
export interface VerbRow {
  readonly id: string;
  readonly verbs?: string;
  readonly options?: string;
  readonly value?: RegExp;
  readonly operand?: RegExp;
  readonly first?: true;
  readonly unless?: string;
  readonly verdict?: "unverifiable" | "overwrite";
  readonly choice?: Choice;
  readonly example: string;
  readonly clear?: string;
}

/** Verbs that count wherever they stand among the operands, until a harmless verb says that the rest is data. */
export interface AnywhereRow {
  readonly verbs: string;
  readonly example: string;
  readonly clear: string;
}

/** A command-line program whose effect lies in its verbs and options. */
export interface VerbProgram {
  readonly family: string;
  readonly names: string;
  /** Options that take the next word, before the first verb. */
  readonly valued?: string;
  /** Options that take the next word after a given verb; `*` for every other verb. */
  readonly after?: Readonly<Record<string, string>>;
  /** `-name` is one option, not a cluster (`terraform -chdir=x`). */
  readonly single?: true;
  /** Its operands are data: a fragment of the seed among them means nothing. */
  readonly data?: true;
  readonly rows: readonly VerbRow[];
  readonly anywhere?: AnywhereRow;
  /** Spellings that make the whole call a dry run; `kubectl` style values are judged in dry-run.ts. */
  readonly dryRun?: string;
  /** The one verb that takes the dry-run spellings, when not all do. */
  readonly dryRunVerbs?: string;
}

/** A program that runs another one: peel its options, then judge the rest. */
export interface WrapperRow {
  readonly names: string;
  readonly valued?: string;
  /** Operands to skip before the program. */
  readonly skip?: number;
  /** `NAME=value` words may stand before the program. */
  readonly assigns?: true;
  /** Options whose value is shell code. */
  readonly code?: string;
  /** The program is a string for a shell: the rest is joined and judged as code. */
  readonly joins?: true;
  /** Options with which nothing is run. */
  readonly inert?: string;
  /** What happens without a program: nothing (default), or a shell that reads what we cannot know. */
  readonly bare?: "shell";
  /** Options with which the same happens. */
  readonly shell?: string;
  /** The program stands after one of these operands (`bundle exec`, `kubectl exec … --`). */
  readonly after?: string;
  /** Options have one dash and whole names. */
  readonly single?: true;
  /** It does something itself and stands in the list of commands. */
  readonly acts?: true;
  readonly example: string;
  readonly clear?: string;
}

/** An environment name (a final `*` for a prefix) that can change what programs do, and the values that do not. */
export interface EnvironmentRow {
  readonly name: string;
  readonly harmless?: RegExp;
}

/** An interpreter: options that take code, what its code does when it destroys or starts programs. */
export interface InterpreterRow {
  readonly names: string;
  readonly language: string;
  readonly code: string;
  readonly valued?: string;
  /** Subcommands whose operand is code (`deno eval`). */
  readonly verbs?: string;
  /** Options may stand after operands, which name no script (`mongosh DB --eval CODE`). */
  readonly late?: true;
  readonly example: string;
  readonly clear: string;
}

/** A database client: options and operands that are SQL. */
export interface SqlRow {
  readonly names: string;
  readonly code?: string;
  readonly valued?: string;
  /** Operands from this index on are SQL (`sqlite3 FILE SQL`). */
  readonly operand?: number;
  /** Options that name a script file. */
  readonly files?: string;
  readonly example: string;
  readonly clear: string;
}

/** A program that we cannot look into, except for forms that only list. */
export interface OpaqueRow {
  readonly names: string;
  readonly clear?: RegExp;
  readonly example: string;
  readonly listing?: string;
}
