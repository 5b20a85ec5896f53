import { delimiter } from "node:path";
import type { Setting } from "./setting.ts";
import { pick, type Sources, switchedOn } from "./sources.ts";

/** How commands are confined (docs/run-shell.md). */
export interface CommandOptions {
  readonly sandbox: "auto" | "none";
  /** Refuse to start when there is no sandbox. */
  readonly requireSandbox: boolean;
  /** What commands may read of the home directory: absolute paths, or below the home directory. */
  readonly sandboxHome: readonly string[];
  /** How many commands run at the same time. */
  readonly atOnce: number;
  readonly limits: { readonly processes: number; readonly fileMb: number; readonly memoryMb: number };
}

const DEFAULTS = { atOnce: 8, processes: 512, fileMb: 1_024, memoryMb: 4_096 } as const;

function within(min: number, max: number): (value: string) => string | undefined {
  return (value) => {
    const number = /^[1-9][0-9]{0,8}$/.test(value) ? Number(value) : 0;
    return number >= min && number <= max ? undefined : `must be a whole number from ${min} to ${max}`;
  };
}

function pathsProblem(value: string): string | undefined {
  return listed(value).every((path) => path !== "" && !path.split("/").includes(".."))
    ? undefined
    : `must be paths joined by \`${delimiter}\`, without \`..\``;
}

function listed(value: string): readonly string[] {
  return value.split(delimiter);
}

/** The settings of commands and their sandbox. */
export const SANDBOX_SETTINGS = {
  sandbox: {
    name: "sandbox",
    kind: "text",
    env: ["REGATE_SANDBOX"],
    placeholder: "HOW",
    choices: ["auto", "none"],
    describe: "bubblewrap around commands and upstream servers where it works, else none and a warning; or none (default: auto)",
  },
  requireSandbox: {
    name: "require-sandbox",
    kind: "switch",
    env: ["REGATE_REQUIRE_SANDBOX"],
    describe: "refuse to start when commands, or upstream servers, cannot be confined",
  },
  sandboxHome: {
    name: "sandbox-home",
    kind: "text",
    env: ["REGATE_SANDBOX_HOME"],
    placeholder: "PATHS",
    describe: "what commands may read of the home directory, paths joined by `:` (default: nothing)",
    problem: pathsProblem,
  },
  commandsAtOnce: {
    name: "commands-at-once",
    kind: "number",
    env: ["REGATE_COMMANDS_AT_ONCE"],
    placeholder: "COMMANDS",
    describe: "how many commands run at the same time; others wait (default: 8)",
    problem: within(1, 256),
  },
  commandProcesses: {
    name: "command-processes",
    kind: "number",
    env: ["REGATE_COMMAND_PROCESSES"],
    placeholder: "PROCESSES",
    describe: "processes and threads that one command may have (default: 512)",
    problem: within(16, 65_536),
  },
  commandMemoryMb: {
    name: "command-memory-mb",
    kind: "number",
    env: ["REGATE_COMMAND_MEMORY_MB"],
    placeholder: "MIB",
    describe: "data that each process of a command may hold in memory (default: 4096)",
    problem: within(64, 1_048_576),
  },
  cloudQueries: {
    name: "cloud-queries",
    kind: "text",
    env: ["REGATE_CLOUD_QUERIES"],
    placeholder: "FILE",
    describe: "further queries of cloud_query, as JSON (default: none)",
  },
  commandFileMb: {
    name: "command-file-mb",
    kind: "number",
    env: ["REGATE_COMMAND_FILE_MB"],
    placeholder: "MIB",
    describe: "largest file that a command may write (default: 1024)",
    problem: within(1, 1_048_576),
  },
} as const satisfies Record<string, Setting>;

/** The settings as they are, else their defaults. */
export function commandOptions(sources: Sources): CommandOptions {
  const number = (setting: Setting, fallback: number): number => Number(pick(setting, sources)?.value ?? fallback);
  const home = pick(SANDBOX_SETTINGS.sandboxHome, sources);
  return Object.freeze({
    sandbox: pick(SANDBOX_SETTINGS.sandbox, sources)?.value === "none" ? "none" : "auto",
    requireSandbox: switchedOn(SANDBOX_SETTINGS.requireSandbox, sources),
    sandboxHome: home === undefined ? [] : listed(home.value),
    atOnce: number(SANDBOX_SETTINGS.commandsAtOnce, DEFAULTS.atOnce),
    limits: Object.freeze({
      processes: number(SANDBOX_SETTINGS.commandProcesses, DEFAULTS.processes),
      fileMb: number(SANDBOX_SETTINGS.commandFileMb, DEFAULTS.fileMb),
      memoryMb: number(SANDBOX_SETTINGS.commandMemoryMb, DEFAULTS.memoryMb),
    }),
  });
}
