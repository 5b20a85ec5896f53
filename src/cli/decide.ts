import { resolveDecideOptions } from "../config/options.ts";
import { surroundings } from "../config/sources.ts";
import type { Decision } from "../policy/decision.ts";
import type { Entrypoint } from "../policy/engine.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { checkInputFile, openInput } from "./input-file.ts";
import { answerLines, type Document, readWhole } from "./json-input.ts";
import { loadBundle } from "./load-bundle.ts";
import { given } from "./given.ts";
import { write } from "./output.ts";
import { settingOptions } from "./setting-options.ts";

const DENIED = 3;

async function run(args: Arguments, io: Io): Promise<number> {
  const [file] = args.words;
  if (file !== undefined && file !== "-") checkInputFile(file);
  const options = await resolveDecideOptions(args, surroundings());
  const engine = await loadBundle(options.bundle, { ...options.policy, check: "whole", ...given("deadlineMs", options.policyDeadlineMs) });
  const entrypoint = (args.values.get("entrypoint") ?? "gate/decision") as Entrypoint;
  let denied = false;
  const decide = (input: unknown): string => {
    const decision: Decision = engine.decide(input, entrypoint);
    denied ||= !decision.allow;
    return JSON.stringify(decision);
  };
  const input = openInput(file, io.stdin);
  // What cannot be read as one JSON value is handed on as no input at all: the engine denies it.
  const answer = (document: Document): string => decide(document.ok ? document.value : undefined);
  if (args.switches.has("stream")) await answerLines({ input, output: io.stdout }, answer);
  else {
    const document = await readWhole(input);
    if (!document.ok) io.note(`input ${document.problem}: denied`);
    await write(io.stdout, `${answer(document)}\n`);
  }
  engine.close();
  return denied && args.switches.has("fail") ? DENIED : 0;
}

/** `regate decide`: one policy input in, one decision out (design §3). */
export const DECIDE_COMMAND: Command = {
  path: ["decide"],
  summary: "ask a policy: one input in, one decision out",
  options: [
    {
      name: "stream",
      kind: "switch",
      describe: "one input a line in, exactly one decision a line out, in order; what is no input is denied",
    },
    { name: "fail", kind: "switch", describe: "exit with 3 when anything is denied" },
    {
      name: "entrypoint",
      kind: "text",
      placeholder: "NAME",
      choices: ["gate/decision", "gate/listing", "gate/message", "gate/result"],
      describe: "what to ask: may this call run, or may this tool be listed (default: gate/decision)",
    },
    ...settingOptions(["bundle", "bundleDigest", "policyDialect", "policyDeadlineMs"]),
  ],
  words: { name: "file", describe: "file with a policy input; standard input unless given", max: 1 },
  examples: [
    ["echo '{}' | $0 decide", "the empty input is denied"],
    ["$0 decide --bundle ai-agent --fail input.json", "decide a file by the packaged bundle ai-agent; exit 3 when denied"],
    ["$0 decide --stream < inputs.jsonl > decisions.jsonl", "decide many inputs, one a line"],
  ],
  run,
};
