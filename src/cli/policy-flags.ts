import { ConfigError } from "../config/config-error.ts";
import type { Arguments, Io, OptionSpec } from "./command.ts";
import { given } from "./given.ts";

const MAX_WHOLE = 1_000_000_000;

/** What is wrong with a whole number, as a phrase that follows it. */
export function wholeProblem(value: string): string | undefined {
  return /^\d{1,10}$/.test(value) && Number(value) <= MAX_WHOLE ? undefined : "must be a whole number";
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

function milliseconds(value: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of value.matchAll(/(\d+(\.\d+)?)(ms|s|m|h)/g)) total += Number(amount) * (UNITS.get(unit ?? "") ?? 0);
  return total >= 1 && total <= MAX_WHOLE ? total : undefined;
}

/** What is wrong with a duration as Go writes them (`90s`, `1m30s`, `500ms`), as a phrase that follows it. */
export function durationProblem(value: string): string | undefined {
  return milliseconds(value) === undefined ? "must be a duration such as `90s`, `1m30s` or `500ms`" : undefined;
}

/** Flags that several commands of `regate policy` take, under OPA's names and letters. */
export const POLICY_FLAGS = {
  bundle: { name: "bundle", short: "b", kind: "switch", assignable: true, describe: "load paths as bundle files or root directories" },
  capabilities: {
    name: "capabilities",
    kind: "text",
    placeholder: "FILE|VERSION",
    describe: "capabilities version or capabilities.json file",
  },
  ignore: {
    name: "ignore",
    kind: "list",
    placeholder: "PATTERN",
    describe: "file and directory names to ignore during loading, separated by commas (repeatable)",
  },
  v0Compatible: { name: "v0-compatible", kind: "switch", assignable: true, describe: "read policies as OPA did before v1.0" },
  maxErrors: {
    name: "max-errors",
    short: "m",
    kind: "text",
    placeholder: "N",
    problem: wholeProblem,
    describe: "number of errors to allow before compilation fails early (default: 10)",
  },
  schema: { name: "schema", short: "s", kind: "text", placeholder: "PATH", describe: "schema file or directory of schemas" },
  strict: { name: "strict", short: "S", kind: "switch", assignable: true, describe: "compiler strict mode" },
} as const satisfies Record<string, OptionSpec>;

/** The values of repeated or comma-separated flags, as OPA reads them. */
export function listOf(args: Arguments, name: string): readonly string[] {
  return (args.lists.get(name) ?? []).flatMap((value) => value.split(",")).filter((value) => value !== "");
}

/** The number that a flag gives, already checked for its form. */
export function numberOf(args: Arguments, name: string): number | undefined {
  const value = args.values.get(name);
  return value === undefined ? undefined : Number(value);
}

/** The milliseconds that a duration flag gives, already checked for its form. */
export function millisecondsOf(args: Arguments, name: string): number | undefined {
  const value = args.values.get(name);
  return value === undefined ? undefined : milliseconds(value);
}

/** The arguments of a command that works on paths. @throws ConfigError `config.command_line` when there is none */
export function neededPaths(args: Arguments, command: string): Arguments {
  if (args.words.length > 0) return args;
  throw new ConfigError("config.command_line", `\`${command}\` needs at least one file or folder (see \`regate ${command} --help\`)`);
}

/** What every command of `regate policy` gets: paths, and where to write. */
export function commonOptions(args: Arguments, io: Io) {
  return {
    cwd: process.cwd(),
    paths: args.words,
    ignore: listOf(args, "ignore"),
    bundle: args.switches.has("bundle"),
    v0Compatible: args.switches.has("v0-compatible"),
    write: (text: string): void => void io.stdout.write(text),
    writeError: io.stderr,
    ...given("capabilities", args.values.get("capabilities")),
    ...given("maxErrors", numberOf(args, "max-errors")),
    ...given("schema", args.values.get("schema")),
    ...given("strict", args.switches.has("strict") ? true : undefined),
  };
}
