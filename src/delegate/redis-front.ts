import { listOf, textOf, unexpected } from "../redis/reply.ts";
import type { Send } from "../redis/send.ts";
import type { Keys } from "./keys.ts";
import { entriesOfRead } from "./redis-reply.ts";
import type { FrontStore, Published } from "./store.ts";

/** The last argument comes back, so that an answer to another command is never taken for this one's. */
const PUBLISH = `
local found = redis.call('GET', KEYS[1])
if found == ARGV[1] then return {'known', ARGV[5]} end
if found then return {'conflict', ARGV[5]} end
if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[4]) then return {'busy', ARGV[5]} end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
redis.call('XADD', KEYS[2], '*', 'data', ARGV[3])
return {'published', ARGV[5]}`;

const MOST_REPLIES = "64";
const WORDS: ReadonlySet<string> = new Set<Published>(["published", "known", "conflict", "busy"]);

/**
 * The front's side of the store in Redis.
 * @param send for commands that answer at once
 * @param hold for the reader of the lane, which keeps its connection waiting
 */
export function redisFront(keys: Keys, send: Send, hold: Send): FrontStore {
  return {
    async publish({ operationId, proof, data, ttl, limit }) {
      const names = [keys.proof(operationId), keys.stream];
      const reply = await send(["EVAL", PUBLISH, "2", ...names, proof, String(ttl), data, String(limit), operationId]);
      const [word, echo] = listOf(reply).map(textOf);
      if (word === undefined || !WORDS.has(word) || echo !== operationId) throw unexpected();
      return word as Published;
    },
    async replies(lane, waitMs) {
      const words = ["XREAD", "COUNT", MOST_REPLIES, "BLOCK", String(waitMs), "STREAMS", lane, "0-0"];
      return entriesOfRead(await hold(words, { holdMs: waitMs }));
    },
    async dropReplies(lane, ids) {
      await send(["XDEL", lane, ...ids]);
    },
  };
}
