import { listOf, numberOf, textOf, unexpected } from "../redis/reply.ts";
import type { Send } from "../redis/send.ts";
import type { Keys } from "./keys.ts";
import type { CallStore, Claimed } from "./store.ts";

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

const CLAIM = `${NOW}
local entry = redis.call('HMGET', KEYS[1], 'state', 'fingerprint', 'entry', 'lease_until', 'status', 'body')
local function begin()
  if ARGV[8] == '1' then return {'exhausted'} end
  redis.call('HSET', KEYS[1], 'state', 'claimed', 'fingerprint', ARGV[1], 'owner', ARGV[2], 'entry', ARGV[3], 'lease_until', now + ARGV[4])
  redis.call('EXPIRE', KEYS[1], ARGV[5])
  return {'claimed'}
end
if not entry[1] then
  if ARGV[6] == '1' then return {'stale'} end
  return begin()
end
if entry[2] ~= ARGV[1] then return {'conflict'} end
if entry[1] == 'terminal' then return {'terminal', entry[5], entry[6]} end
local left = entry[4] - now
if left > 0 then
  if entry[3] == ARGV[3] then return {'waiting', left} end
  return {'in_progress'}
end
if ARGV[7] == '1' then return begin() end
redis.call('HSET', KEYS[1], 'state', 'terminal', 'status', 'indeterminate', 'body', ARGV[9])
redis.call('HDEL', KEYS[1], 'owner', 'lease_until')
redis.call('EXPIRE', KEYS[1], ARGV[5])
return {'terminal', 'indeterminate', ARGV[9]}`;

const RENEW = `${NOW}
local entry = redis.call('HMGET', KEYS[1], 'state', 'owner')
if entry[1] ~= 'claimed' or entry[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'lease_until', now + ARGV[2])
return 1`;

/** An entry that is gone altogether was lost by the store: what has run is recorded all the same, so that it does not run again. */
const FINISH = `
local entry = redis.call('HMGET', KEYS[1], 'state', 'owner')
if entry[1] and (entry[1] ~= 'claimed' or entry[2] ~= ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'state', 'terminal', 'fingerprint', ARGV[2], 'status', ARGV[3], 'body', ARGV[4])
redis.call('HDEL', KEYS[1], 'owner', 'lease_until')
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1`;

const KINDS: ReadonlySet<string> = new Set<Claimed["kind"]>(["claimed", "stale", "conflict", "in_progress", "exhausted"]);

/** The ledger in Redis: each step is one script, all times are those of Redis (reference: tool sessions, §7 and §12). */
export function redisLedger(keys: Keys, send: Send): Pick<CallStore, "claim" | "renew" | "finish"> {
  return {
    async claim({ operationId, fingerprint, token, entryId, leaseMs, ttl, requireExisting, repeatable, exhausted, unknownBody }) {
      const flags = [requireExisting, repeatable, exhausted].map((flag) => (flag ? "1" : "0"));
      const numbers = [String(leaseMs), String(ttl)];
      const words = ["EVAL", CLAIM, "1", keys.ledger(operationId), fingerprint, token, entryId, ...numbers, ...flags, unknownBody];
      return claimedOf(listOf(await send(words)));
    },
    async renew(operationId, token, leaseMs) {
      return numberOf(await send(["EVAL", RENEW, "1", keys.ledger(operationId), token, String(leaseMs)])) === 1;
    },
    async finish({ operationId, token, fingerprint, status, body, ttl }) {
      const words = ["EVAL", FINISH, "1", keys.ledger(operationId), token, fingerprint, status, body, String(ttl)];
      return numberOf(await send(words)) === 1;
    },
  };
}

function claimedOf([word, first, second]: readonly unknown[]): Claimed {
  const kind = textOf(word);
  if (kind === "waiting") return { kind, leftMs: numberOf(first) };
  if (kind === "terminal") return { kind, status: textOf(first), body: textOf(second) };
  if (KINDS.has(kind)) return { kind: kind as "claimed" };
  throw unexpected();
}
