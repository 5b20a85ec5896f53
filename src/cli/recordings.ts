import type { Arguments, Command, Io } from "./command.ts";
import { GOVERN_FLAGS, governOptions, neededWord, printList } from "./govern.ts";
import { write } from "./output.ts";
import { settingOptions } from "./setting-options.ts";

async function list(args: Arguments, io: Io): Promise<number> {
  const { stateDir } = await governOptions(args);
  const { listRecordings } = await import("../govern/recording-list.ts");
  const columns = ["session_id", "event_count", "size_bytes", "modified", "digest_sha256"];
  await printList(io, await listRecordings(stateDir), { json: args.switches.has("json"), columns });
  return 0;
}

async function exportOne(args: Arguments, io: Io): Promise<number> {
  const id = neededWord(args, { command: "recordings export", what: "the session of the recording" });
  const { stateDir } = await governOptions(args);
  const { asciicast, readRecording } = await import("../govern/recording-export.ts");
  const events = readRecording(stateDir, id);
  if (args.values.get("format") === "asciicast") {
    for await (const line of asciicast(events)) await write(io.stdout, `${line}\n`);
  } else {
    for await (const event of events) await write(io.stdout, `${JSON.stringify(event)}\n`);
  }
  return 0;
}

/** `regate recordings list|export`: what went into tools and what came out of them (design §8). */
export const RECORDINGS_COMMANDS: readonly Command[] = [
  {
    path: ["recordings", "list"],
    summary: "list the recordings of sessions",
    options: [GOVERN_FLAGS.json, ...settingOptions(["stateDir"])],
    examples: [["$0 recordings list --json", "session, size, number of events and digest of each"]],
    run: list,
  },
  {
    path: ["recordings", "export"],
    summary: "print one recording",
    options: [
      {
        name: "format",
        kind: "text",
        placeholder: "FORMAT",
        choices: ["jsonl", "asciicast"],
        describe: "events as they are, or asciicast v2 for a terminal player (default: jsonl)",
      },
      ...settingOptions(["stateDir"]),
    ],
    words: { name: "session", describe: "id of the session", max: 1 },
    examples: [["$0 recordings export mcp-1796055600000000001 --format asciicast > session.cast", "a film of the session"]],
    run: exportOne,
  },
];
