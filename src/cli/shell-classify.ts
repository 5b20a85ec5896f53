import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { isJsonObject } from "../call/json.ts";
import type { ShellAnalysis } from "../call/tool-call.ts";
import { ConfigError } from "../config/config-error.ts";
import { resolveClassifyOptions } from "../config/options.ts";
import { surroundings } from "../config/sources.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { answerLines, type Document } from "./json-input.ts";
import { write } from "./output.ts";
import { settingOptions } from "./setting-options.ts";
import { shellTables, shellTablesProblem } from "./shell-tables.ts";

type Analyse = (command: string) => ShellAnalysis;

/** Answer to a line that holds no command: nobody can say what it would do (design §5: unverifiable counts as destructive). */
const NO_COMMAND = JSON.stringify({
  verdict: "unverifiable",
  findings: [{ rule: "input", verdict: "unverifiable", word: "", start: 0, end: 0 }],
  commands: [],
  redirects: [],
});

function answer(command: unknown, analyse: Analyse): string {
  if (typeof command !== "string") return NO_COMMAND;
  const { verdict, findings, commands, redirects } = analyse(command);
  return JSON.stringify({ verdict, findings, commands, redirects });
}

function commandIn(document: Document): unknown {
  return document.ok && isJsonObject(document.value) && Object.hasOwn(document.value, "command") ? document.value["command"] : undefined;
}

/** The text on a stream without its last LF; undefined when it is not UTF-8. */
async function textOf(stdin: Readable): Promise<string | undefined> {
  const parts: Buffer[] = [];
  for await (const chunk of stdin as AsyncIterable<Buffer>) parts.push(chunk);
  const bytes = Buffer.concat(parts);
  return isUtf8(bytes) ? bytes.toString("utf8").replace(/\n$/, "") : undefined;
}

async function run(args: Arguments, io: Io): Promise<number> {
  if (args.switches.has("stream") && args.words.length > 0)
    throw new ConfigError(
      "config.command_line",
      "`shell classify --stream` reads standard input: give no command (see `regate shell classify --help`)",
    );
  const options = await resolveClassifyOptions(args, surroundings(), shellTablesProblem);
  const { analyseCommand } = await import("../shell/analyse.ts");
  const how = { match: options.destructiveMatch, tables: await shellTables(options) };
  const analyse: Analyse = (command) => analyseCommand(command, how);
  if (args.switches.has("stream"))
    await answerLines({ input: io.stdin, output: io.stdout }, (document) => answer(commandIn(document), analyse));
  else await write(io.stdout, `${answer(args.words[0] ?? (await textOf(io.stdin)), analyse)}\n`);
  return 0;
}

/** `regate shell classify`: what the classifier of run_shell says about a command (design §5). */
export const SHELL_CLASSIFY_COMMAND: Command = {
  path: ["shell", "classify"],
  summary: "show how the classifier of run_shell reads a command; nothing is executed",
  options: [
    { name: "stream", kind: "switch", describe: 'one JSON object {"command": …} a line in, one analysis a line out, in order' },
    ...settingOptions(["destructiveMatch", "shellTables"]),
  ],
  words: { name: "command", describe: "the command; standard input unless given", max: 1 },
  examples: [
    ["$0 shell classify 'sudo rm -rf build'", "destructive, and by which words"],
    ["$0 shell classify --stream < commands.jsonl", "classify many commands, one a line"],
  ],
  run,
};
