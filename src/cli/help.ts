import yargs, { type Argv } from "yargs";
import type { Command, OptionSpec } from "./command.ts";

const HELP_WIDTH = 120;

function withOption(parser: Argv, option: OptionSpec): Argv {
  const value = option.kind === "switch" ? { type: "boolean" as const } : { type: "string" as const, requiresArg: true };
  const choices = option.choices === undefined || option.emptyAllowed === true ? {} : { choices: option.choices };
  const short = option.short === undefined ? {} : { alias: option.short };
  const placeholder = option.placeholder === undefined ? "" : `${option.placeholder}: `;
  // Not global: else the commands below this one would list it, too.
  return parser.option(option.name, { ...value, ...choices, ...short, global: false, describe: `${placeholder}${option.describe}` });
}

function usageLine(command: Command): string {
  const words = command.words === undefined ? "" : ` [${command.words.name}${command.words.max > 1 ? ".." : ""}]`;
  return `${command.path.at(-1) ?? ""}${words}`;
}

function withSurface(parser: Argv, command: Command): Argv {
  let surface = parser;
  if (command.words !== undefined) surface = surface.positional(command.words.name, { type: "string", describe: command.words.describe });
  for (const option of command.options) surface = withOption(surface, option);
  for (const [line, what] of command.examples) surface = surface.example(line, what);
  return surface;
}

/** Adds the commands that stand under `path`: those that end there, and groups of further ones. */
function withCommands(parser: Argv, commands: readonly Command[], path: readonly string[]): Argv {
  const below = commands.filter((command) => path.every((word, index) => command.path[index] === word));
  const names = [...new Set(below.map((command) => command.path[path.length] ?? ""))];
  let tree = parser;
  for (const name of names) {
    const members = below.filter((command) => command.path[path.length] === name);
    const command = members.find((member) => member.path.length === path.length + 1);
    const deeper = members.filter((member) => member !== command);
    const withDeeper = (inner: Argv): Argv => withCommands(inner, deeper, [...path, name]);
    tree =
      command === undefined
        ? tree.command(name, groupSummary(members, path.length + 1), withDeeper)
        : tree.command(usageLine(command), command.summary, (inner) => withDeeper(withSurface(inner, command)));
  }
  return tree;
}

function groupSummary(members: readonly Command[], depth: number): string {
  return members.map((member) => member.path[depth]).join(", ");
}

/** The whole surface as yargs knows it. */
function surfaceOf(commands: readonly Command[]): Argv {
  const parser = yargs([])
    .scriptName("regate")
    // Without these help would list spellings that are refused.
    .parserConfiguration({ "boolean-negation": false, "camel-case-expansion": false, "dot-notation": false })
    .detectLocale(false)
    .exitProcess(false)
    .version(false)
    .wrap(HELP_WIDTH)
    .usage("$0 <command> [flags]\n\nA policy gate for AI agents: every MCP tool call is decided by Rego before it runs.")
    .option("version", { type: "boolean", global: false, describe: "show the versions of Regate and OPA" })
    .help("help", "show help")
    .alias("help", "h")
    .example("$0 serve --bundle default", "serve the gate over stdio, as an MCP host starts it")
    .example("echo '{}' | $0 decide", "ask the policy about one input")
    .example("$0 policy test policy bundles", "test Rego policies without installing OPA")
    .epilogue("Exit codes: 0 fine, 1 failed while running, 2 refused to start, 3 denied (decide --fail).")
    .strict();
  return withCommands(parser, commands, []);
}

/** Help text for a command, a group or (no path) the program. */
export async function helpText(commands: readonly Command[], path: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined | null, _argv: unknown, output: string): void => {
      if (error) reject(error);
      else resolve(`${output}\n`);
    };
    void surfaceOf(commands).parse([...path, "--help"], {}, done);
  });
}
