import { DelegateError } from "./delegate-error.ts";
import type { Send } from "../redis/send.ts";
import { boundedBy } from "../redis/send.ts";
import type { Bound, SessionStore } from "./store.ts";

/** No library call waits longer for its store, however many commands it sends. */
const LIMIT_MS = 5_000;

/** Bulk strings as bytes, since decoding would hide what is not UTF-8: by RESP's type, and as node-redis 4 is told. */
const AS_BYTES = { typeMapping: { 36: Buffer }, returnBuffers: true } as const;

/** A connected node-redis client, as far as session records need one. */
export interface RedisClient {
  sendCommand(args: string[], options?: object): Promise<unknown>;
}

const BIND = `
local found = redis.call('GET', KEYS[1])
if not found then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  return {'stored'}
end
if found ~= ARGV[3] then return {'other', found} end
local left = redis.call('PTTL', KEYS[1])
if left >= 0 and left < ARGV[2] * 1000 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return {'kept'}`;

/** Session records in Redis: bind-or-compare is one script, so that of many writers exactly one identity wins. */
export function redisSessions(send: Send): SessionStore {
  return {
    async bind({ key, text, ttl, expected }) {
      return boundOf(await send(["EVAL", BIND, "1", key, text, String(ttl), expected ?? text]));
    },
    async read(key) {
      const found = await send(["GET", key]);
      if (found === null || found instanceof Uint8Array) return found ?? undefined;
      throw unexpected();
    },
  };
}

/**
 * Sends through a caller's own client, for one call of the library and within its bound: a client that is closed or cannot connect would
 * queue for ever.
 */
export function sendThrough(client: RedisClient): Send {
  const until = performance.now() + LIMIT_MS;
  return async (args) => {
    const giveUp = new AbortController();
    const work = (async () => client.sendCommand(args as string[], { ...AS_BYTES, abortSignal: giveUp.signal }))();
    try {
      return await boundedBy(Math.max(0, until - performance.now()), work);
    } finally {
      giveUp.abort();
    }
  };
}

function boundOf(reply: unknown): Bound {
  const [word, record] = Array.isArray(reply) ? (reply as unknown[]) : [];
  const kind = word instanceof Uint8Array ? Buffer.from(word).toString("latin1") : word;
  if (kind === "stored" || kind === "kept") return { kind };
  if (kind === "other" && record instanceof Uint8Array) return { kind, record };
  throw unexpected();
}

function unexpected(): DelegateError {
  return new DelegateError("store_unavailable", "the store gave an unexpected answer");
}
