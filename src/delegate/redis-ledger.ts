import { listOf, numberOf, textOf, unexpected } from "../redis/reply.ts";
import type { Send } from "../redis/send.ts";
import type { Keys } from "./keys.ts";
import { SETTLE } from "./redis-settle.ts";
import type { CallStore, Claimed, Settled } from "./store.ts";

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Begins the entry's idle time anew; false when it is not pending. Not `XCLAIM`, which could also move the group's position: no worker has a right to it.
 */
const TOUCH = `
local function touch(stream, group, worker, id)
  local pending = redis.pcall('XPENDING', stream, group, id, id, 1)
  if pending.err or #pending == 0 then return false end
  redis.call('XAUTOCLAIM', stream, group, worker, 0, id, 'COUNT', 1, 'JUSTID')
  return true
end`;

const CLAIM = `${NOW}${TOUCH}
local entry = redis.call('HMGET', KEYS[1], 'state', 'fingerprint', 'entry', 'lease_until', 'status', 'body')
local function begin()
  if ARGV[8] == '1' then return {'exhausted'} end
  if not touch(KEYS[2], ARGV[10], ARGV[11], ARGV[3]) then return {'gone'} end
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
if entry[4] - now > 0 then
  if entry[3] == ARGV[3] then return {'waiting'} end
  return {'in_progress'}
end
if ARGV[7] == '1' then return begin() end
redis.call('HSET', KEYS[1], 'state', 'terminal', 'status', 'indeterminate', 'body', ARGV[9])
redis.call('HDEL', KEYS[1], 'owner', 'lease_until')
redis.call('EXPIRE', KEYS[1], ARGV[5])
return {'terminal', 'indeterminate', ARGV[9]}`;

const RENEW = `${NOW}${TOUCH}
local entry = redis.call('HMGET', KEYS[1], 'state', 'owner')
if entry[1] ~= 'claimed' or entry[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'lease_until', now + ARGV[2])
touch(KEYS[2], ARGV[3], ARGV[4], ARGV[5])
return 1`;

/**
 * Result, reply, acknowledgement, in this order. An entry that is gone altogether was lost by the store: what has run is recorded all the
 * same, so that it does not run again. The claim's token stays in the result, so that a repetition after a lost answer is known.
 */
const FINISH = `${SETTLE}
local entry = redis.call('HMGET', KEYS[1], 'state', 'owner')
if entry[1] and entry[2] ~= ARGV[1] then return 'lost' end
if entry[1] ~= 'terminal' then
  redis.call('HSET', KEYS[1], 'state', 'terminal', 'owner', ARGV[1], 'fingerprint', ARGV[2], 'status', ARGV[3], 'body', ARGV[4])
  redis.call('HDEL', KEYS[1], 'lease_until')
  redis.call('EXPIRE', KEYS[1], ARGV[5])
end
return settle({stream = KEYS[2], group = ARGV[6], id = ARGV[7], lane = KEYS[3], reply = ARGV[8], ttl = ARGV[9]})`;

const KINDS: ReadonlySet<string> = new Set<Claimed["kind"]>([
  "claimed",
  "gone",
  "stale",
  "conflict",
  "in_progress",
  "exhausted",
  "waiting",
]);

/** The ledger in Redis: each step is one script, all times are those of Redis (reference: tool sessions, §7 and §12). */
export function redisLedger(keys: Keys, send: Send): Pick<CallStore, "claim" | "renew" | "finish"> {
  const { stream, group } = keys;
  return {
    async claim(request) {
      const { operationId, fingerprint, token, entryId, leaseMs, ttl, requireExisting, repeatable, exhausted } = request;
      const flags = [requireExisting, repeatable, exhausted].map((flag) => (flag ? "1" : "0"));
      const numbers = [String(leaseMs), String(ttl)];
      const words = ["EVAL", CLAIM, "2", keys.ledger(operationId), stream, fingerprint, token, entryId, ...numbers, ...flags];
      return claimedOf(listOf(await send([...words, request.unknownBody, group, request.worker])));
    },
    async renew({ operationId, token, leaseMs, worker, entryId }) {
      const words = ["EVAL", RENEW, "2", keys.ledger(operationId), stream, token, String(leaseMs), group, worker, entryId];
      return numberOf(await send(words)) === 1;
    },
    async finish({ operationId, token, fingerprint, status, body, ttl, entryId, reply }) {
      const names = ["3", keys.ledger(operationId), stream, reply.lane];
      const words = ["EVAL", FINISH, ...names, token, fingerprint, status, body, String(ttl)];
      return textOf(await send([...words, group, entryId, reply.data, String(reply.ttl)])) as Settled | "lost";
    },
  };
}

function claimedOf([word, first, second]: readonly unknown[]): Claimed {
  const kind = textOf(word);
  if (kind === "terminal") return { kind, status: textOf(first), body: textOf(second) };
  if (KINDS.has(kind)) return { kind: kind as "claimed" };
  throw unexpected();
}
