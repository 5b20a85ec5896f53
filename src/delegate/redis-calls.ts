import { redisErrorWord } from "../redis/connection.ts";
import { listOf, numberOf, textOf } from "../redis/reply.ts";
import type { Send } from "../redis/send.ts";
import type { Keys } from "./keys.ts";
import { redisLedger } from "./redis-ledger.ts";
import { entriesOf, entriesOfRead } from "./redis-reply.ts";
import { SETTLE } from "./redis-settle.ts";
import type { CallStore, Settled, Settlement } from "./store.ts";

const SETTLE_ENTRY = `${SETTLE}
local call = {stream = KEYS[1], group = ARGV[1], id = ARGV[2], lane = KEYS[2], reply = ARGV[3], ttl = ARGV[4], letters = KEYS[3]}
if #ARGV > 4 then call.letter = {unpack(ARGV, 5)} end
return settle(call)`;

/**
 * The worker's side of the store in Redis.
 * @param send for commands that answer at once
 * @param hold for the reader of new entries, which keeps its connection waiting
 */
export function redisCalls(keys: Keys, send: Send, hold: Send): CallStore {
  const { stream, group } = keys;
  const readGroup = (worker: string, count: number): string[] => ["XREADGROUP", "GROUP", group, worker, "COUNT", String(count)];
  return {
    ...redisLedger(keys, send),
    async prepare() {
      try {
        await send(["XGROUP", "CREATE", stream, group, "0", "MKSTREAM"]);
      } catch (error) {
        if (redisErrorWord(error) !== "BUSYGROUP") throw error;
      }
    },
    async readNew(worker, { count, waitMs }) {
      const words = [...readGroup(worker, count), "BLOCK", String(waitMs), "STREAMS", stream, ">"];
      return entriesOfRead(await hold(words, { holdMs: waitMs }));
    },
    async readOwn(worker, { after, count }) {
      return entriesOfRead(await send([...readGroup(worker, count), "STREAMS", stream, after]));
    },
    async takeOver(worker, { from, count, idleMs }) {
      const reply = listOf(await send(["XAUTOCLAIM", stream, group, worker, String(idleMs), from, "COUNT", String(count)]));
      return { next: textOf(reply[0]), entries: entriesOf(reply[1]), deleted: listOf(reply[2] ?? []).length };
    },
    async deliveries(entryId) {
      const [found] = listOf(await send(["XPENDING", stream, group, entryId, entryId, "1"]));
      return found === undefined ? 0 : numberOf(listOf(found)[3]);
    },
    async proof(operationId) {
      const found = await send(["GET", keys.proof(operationId)]);
      return found === null ? undefined : textOf(found);
    },
    async settle(settlement) {
      return textOf(await send(settleCommand(keys, settlement))) as Settled;
    },
    async depths() {
      const [calls, deadLetters] = await Promise.all([send(["XLEN", stream]), send(["XLEN", keys.deadLetters])]);
      return { calls: numberOf(calls), deadLetters: numberOf(deadLetters) };
    },
  };
}

function settleCommand(keys: Keys, { entryId, reply, letter }: Settlement): string[] {
  // Without a reply or a letter the names are not used; a cluster wants names all the same.
  const names = [keys.stream, reply?.lane ?? keys.stream, keys.deadLetters];
  return ["EVAL", SETTLE_ENTRY, "3", ...names, keys.group, entryId, reply?.data ?? "", String(reply?.ttl ?? 0), ...(letter ?? [])];
}
