import { ConfigError } from "../config/config-error.ts";
import { resolveRedisLink } from "../config/delegate-options.ts";
import { surroundings } from "../config/sources.ts";
import type { Connection } from "../redis/connection.ts";
import { keysOf, type Keys } from "../delegate/keys.ts";
import type { Replay } from "../delegate/dead-letters.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { neededWord } from "./govern.ts";
import { write } from "./output.ts";
import { settingOptions } from "./setting-options.ts";

const ENTRY_ID = /^[0-9]{1,20}-[0-9]{1,20}$/;

async function connected(args: Arguments, use: (keys: Keys, connection: Connection) => Promise<number>): Promise<number> {
  const { url, prefix } = await resolveRedisLink(args, surroundings());
  const { openConnection } = await import("../redis/connection.ts");
  const connection = openConnection(url);
  try {
    return await use(keysOf(prefix), connection);
  } finally {
    connection.close();
  }
}

async function list(args: Arguments, io: Io): Promise<number> {
  return await connected(args, async (keys, { send }) => {
    const { deadLetters } = await import("../delegate/dead-letters.ts");
    for await (const letter of deadLetters(keys, send)) await write(io.stdout, `${JSON.stringify(letter)}\n`);
    return 0;
  });
}

const REFUSALS: Readonly<Record<Exclude<Replay["kind"], "replayed" | "known">, string>> = {
  no_letter: "there is no such dead letter",
  no_message: "its message was not in order and is not kept",
  expired: "its proof has expired: the call must be made anew",
};

async function replay(args: Arguments, io: Io): Promise<number> {
  const id = neededWord(args, { command: "worker dlq replay", what: "the id of the dead letter" });
  if (!ENTRY_ID.test(id))
    throw new ConfigError("config.command_line", `\`${id}\` is not the id of a dead letter, such as \`1764518400000-0\``);
  return await connected(args, async (keys, { send }) => {
    const { replayDeadLetter } = await import("../delegate/dead-letters.ts");
    const done = await replayDeadLetter(keys, send, id);
    if (done.kind === "replayed") {
      await write(io.stdout, `${JSON.stringify({ id, replayed_as: done.entryId })}\n`);
      return 0;
    }
    io.note(
      `\`${id}\` is not replayed: ${done.kind === "known" ? `the ledger has it as ${done.state}, it does not run again` : REFUSALS[done.kind]}`,
    );
    return 1;
  });
}

const OPTIONS = settingOptions(["redis", "redisPrefix"]);

/** `regate worker dlq list`. */
export const DLQ_LIST_COMMAND: Command = {
  path: ["worker", "dlq", "list"],
  summary: "list the dead letters of delegated execution, one JSON object a line",
  options: OPTIONS,
  examples: [["$0 worker dlq list --redis redis://observer:secret@10.0.0.5", "ids and reasons, never arguments"]],
  run: list,
};

/** `regate worker dlq replay`. */
export const DLQ_REPLAY_COMMAND: Command = {
  path: ["worker", "dlq", "replay"],
  summary: "put the message of a dead letter back into the call stream, to meet every check again",
  options: OPTIONS,
  words: { name: "id", describe: "id of the dead letter", max: 1 },
  examples: [["$0 worker dlq replay 1764518400000-0 --redis redis://admin:secret@10.0.0.5", "needs rights that no worker has"]],
  run: replay,
};
