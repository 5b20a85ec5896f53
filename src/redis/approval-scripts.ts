/**
 * Files a request as the open one of its digest.
 * KEYS: the request, the open one of its digest, the list of all, the counter of changes. ARGV: its id, its record, seconds that it is kept.
 * Gives the id of the open request, which is another one when somebody else was first.
 */
export const FILE = `
local open = redis.call('GET', KEYS[2])
if open then return open end
local time = redis.call('TIME')
local kept = tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'pending', ARGV[2])
redis.call('EXPIRE', KEYS[1], kept)
redis.call('SET', KEYS[2], ARGV[1], 'EX', kept)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', time[1])
redis.call('ZADD', KEYS[3], time[1] + kept, ARGV[1])
if redis.call('TTL', KEYS[3]) < kept then redis.call('EXPIRE', KEYS[3], kept) end
redis.call('INCR', KEYS[4])
redis.call('EXPIRE', KEYS[4], kept)
return ARGV[1]`;

/** Removes a key that has a value still. KEYS: the key. ARGV: the value. */
export const FORGET = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/**
 * Puts a record of a request in place of another one. What is there already counts as put there: a step whose answer was lost can be taken again.
 * KEYS: the request, the counter of changes. ARGV: the field, the record that must be there, the new one, both empty for none; seconds that
 * changes are told for. Gives 1 when the new one is there, 0 when something else is, -1 when the request is gone.
 */
export const SWAP = `
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
local found = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if found == ARGV[3] then return 1 end
if found ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 1`;
