import { ConfigError } from "../config/config-error.ts";
import { resolveServeOptions } from "../config/options.ts";
import { surroundings } from "../config/sources.ts";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { RUN_SHELL } from "../call/make-call.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { confinementOptions } from "./confinement-options.ts";
import { given } from "./given.ts";
import { loadBundle } from "./load-bundle.ts";
import { write } from "./output.ts";
import { allSettingOptions } from "./setting-options.ts";
import { shellTables, shellTablesProblem } from "./shell-tables.ts";

const MAX_WORDS = 4_096;

async function run(args: Arguments, io: Io): Promise<number> {
  const call = callOf(args);
  const options = await resolveServeOptions(args, surroundings(), shellTablesProblem);
  const [{ explainOnce }, { openConfinement }, engine] = await Promise.all([
    import("../server/explain-once.ts"),
    import("../shell/open-confinement.ts"),
    loadBundle(options.bundle, { ...options.policy, ...given("deadlineMs", options.policyDeadlineMs) }),
  ]);
  const sandbox = (await openConfinement(confinementOptions(options))).kind;
  try {
    const { explanation, input } = await explainOnce(
      { ...options, engine, sandbox, shellTables: await shellTables(options), report: (line) => io.note(line) },
      call,
    );
    const { explanationText } = await import("./explanation-text.ts");
    const text = args.switches.has("json") ? `${JSON.stringify({ ...explanation, input })}\n` : explanationText(explanation);
    await write(io.stdout, text);
    return 0;
  } finally {
    engine.close();
  }
}

function callOf(args: Arguments): { tool: string; arguments: JsonObject } {
  const tool = args.values.get("tool");
  const given = args.values.get("arguments");
  if (tool !== undefined) {
    if (args.words.length > 0) throw wrong("give a command or `--tool`, not both");
    return { tool, arguments: given === undefined ? {} : argumentsIn(given) };
  }
  if (given !== undefined) throw wrong("`--arguments` belongs to `--tool NAME`");
  const command = commandOf(args.words);
  if (command.trim() === "") throw wrong("a command is required: `regate explain -- CMD ARG…`");
  return { tool: RUN_SHELL, arguments: { command } };
}

function argumentsIn(text: string): JsonObject {
  const parsed = parseJsonOnce(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) throw wrong("`--arguments` must be a JSON object");
  return parsed.value;
}

/** One word is a whole command line as it stands; several are the words of one command, each quoted where the shell would read it otherwise. */
function commandOf(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? "") : words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function wrong(what: string): ConfigError {
  return new ConfigError("config.command_line", `${what} (see \`regate explain --help\`)`);
}

/** `regate explain`: why the gate would answer a call as it would (design §8). */
export const EXPLAIN_COMMAND: Command = {
  path: ["explain"],
  summary: "say how the gate would answer a call and why, with the conditions that failed; nothing is executed, filed or logged",
  options: [
    { name: "tool", kind: "text", placeholder: "NAME", describe: "explain a call of this tool (default: run_shell with the command)" },
    { name: "arguments", kind: "text", placeholder: "JSON", describe: "arguments of the call, a JSON object; for --tool" },
    { name: "json", kind: "switch", describe: "the whole explanation as one line of JSON, with the policy input" },
    ...allSettingOptions(),
  ],
  words: { name: "command", describe: "after `--`: one word is a command line, several are the words of one command", max: MAX_WORDS },
  examples: [
    ["$0 explain -- rm -rf build", "which stage refuses it, by which condition of which rule"],
    ["$0 explain --bundle ai-agent -- 'git status | head'", "a command line as one word"],
    ['$0 explain --tool config_switch --arguments \'{"label": "erik"}\'', "a call of another tool"],
  ],
  run,
};
