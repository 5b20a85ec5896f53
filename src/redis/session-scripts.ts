/**
 * The steps of a shared session as scripts. Keys: 1 identity state, 2 switches that run, 3 counters, 4 calls of the last minute, 5 calls that
 * run. Whatever was not written by these scripts is an error, never a guess. Numbers are written whole: Lua would round them.
 */
const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(text)
  if type(text) ~= 'string' or #text > 15 or not string.match(text, '^%d+$') then error('the state cannot be read') end
  return tonumber(text)
end
local function text(number) return string.format('%.0f', number) end
local function hold(key, token, lease)
  redis.call('ZADD', key, text(now + lease), token)
  redis.call('PEXPIRE', key, text(lease + 1000))
end`;

/** ARGV: token, what it counts as, counter of the tool, mark, label, generation if new, lease, lifetimes of state and counters, bind, age, mutations. */
export const ENTER = `${PRELUDE}
for _, key in ipairs({KEYS[2], KEYS[5]}) do redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now)) end
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', text(now - 60000))
local switching, recent, running = redis.call('ZCARD', KEYS[2]), redis.call('ZCARD', KEYS[4]), redis.call('ZCARD', KEYS[5])

local s = redis.call('HMGET', KEYS[1], 'generation', 'epoch', 'confirmed', 'profile', 'seen', 'at', 'mutations')
local isNew = not s[1]
if isNew then
  if redis.call('EXISTS', KEYS[1]) == 1 then error('the state cannot be read') end
  s = {ARGV[6], '0', '0', false, false, false, false}
end
local epoch, confirmed, profile = whole(s[2]), s[3], s[4]
if confirmed ~= '0' and confirmed ~= '1' then error('the state cannot be read') end
local lapsed = switching == 0 and s[5] and s[5] ~= ARGV[4]
if confirmed == '1' then
  local age, mutations, maxAge, maxMutations = now - whole(s[6]), whole(s[7]), tonumber(ARGV[11]), tonumber(ARGV[12])
  if not profile then error('the state cannot be read') end
  if ARGV[10] == '1' and profile ~= ARGV[5] then lapsed = true end
  if maxAge > 0 and (age < 0 or age >= maxAge) then lapsed = true end
  if maxMutations > 0 and mutations >= maxMutations then lapsed = true end
end

local field = ARGV[3]
local u = redis.call('HMGET', KEYS[3], 'started', 'calls', 'denied', 'names', field)
if not u[1] and redis.call('EXISTS', KEYS[3]) == 1 then error('the state cannot be read') end
local started, calls, denied, names = whole(u[1] or text(now)), whole(u[2] or '0'), whole(u[3] or '0'), whole(u[4] or '0')
local known = u[5]
if not known and names >= 10000 then
  field = 't:'
  known = redis.call('HGET', KEYS[3], field)
end
local toolCalls = whole(known or '0')

if isNew then redis.call('HSET', KEYS[1], 'generation', s[1], 'epoch', '0', 'confirmed', '0') end
if lapsed then
  epoch, confirmed, profile = epoch + 1, '0', false
  redis.call('HSET', KEYS[1], 'epoch', text(epoch), 'confirmed', '0')
  redis.call('HDEL', KEYS[1], 'profile', 'at', 'mutations')
end
redis.call('HSET', KEYS[1], 'seen', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[8])

redis.call('HSET', KEYS[3], 'started', text(started))
if ARGV[2] == 'call' then
  if not known and field ~= 't:' then redis.call('HINCRBY', KEYS[3], 'names', 1) end
  redis.call('HINCRBY', KEYS[3], field, 1)
  redis.call('HINCRBY', KEYS[3], 'calls', 1)
  redis.call('ZADD', KEYS[4], text(now), ARGV[1])
  redis.call('PEXPIRE', KEYS[4], 61000)
end
redis.call('PEXPIRE', KEYS[3], ARGV[9])
if ARGV[2] ~= 'look' then hold(KEYS[5], ARGV[1], tonumber(ARGV[7])) end
return {s[1], text(epoch), confirmed, profile or 'null', switching, calls, toolCalls, recent, running, denied, text(math.max(0, now - started))}`;

/** ARGV: token, generation, epoch, rearms, mutates, runs, denied, lease, lifetimes of state and counters, mutations. */
export const SETTLE = `${PRELUDE}
local s = redis.call('HMGET', KEYS[1], 'generation', 'epoch', 'confirmed', 'mutations')
local rearms, mutates = ARGV[4] == '1', ARGV[5] == '1'
if rearms or mutates then
  local moved = s[1] ~= ARGV[2] or s[2] ~= ARGV[3]
  local max = tonumber(ARGV[11])
  if not moved and mutates and max > 0 and s[3] == '1' and whole(s[4]) >= max then moved = true end
  if moved then
    redis.call('ZREM', KEYS[5], ARGV[1])
    return 'moved'
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[9])
end
if rearms then
  redis.call('HSET', KEYS[1], 'epoch', text(whole(s[2]) + 1), 'confirmed', '0')
  redis.call('HDEL', KEYS[1], 'profile', 'at', 'mutations')
  hold(KEYS[2], ARGV[1], tonumber(ARGV[8]))
end
if mutates and s[3] == '1' then redis.call('HINCRBY', KEYS[1], 'mutations', 1) end
if ARGV[7] == '1' then
  redis.call('HSETNX', KEYS[3], 'started', text(now))
  redis.call('HINCRBY', KEYS[3], 'denied', 1)
  redis.call('PEXPIRE', KEYS[3], ARGV[10])
end
if ARGV[6] ~= '1' then redis.call('ZREM', KEYS[5], ARGV[1]) end
return 'settled'`;

/** ARGV: generation, epoch, profile, lifetime of the state. */
export const CONFIRM = `${PRELUDE}
local s = redis.call('HMGET', KEYS[1], 'generation', 'epoch')
if s[1] ~= ARGV[1] or s[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'confirmed', '1', 'profile', ARGV[3], 'at', text(now), 'mutations', '0')
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`;

/** ARGV: token, mark. A switch whose lease has run out does not say what is active: the next look finds that by itself. */
export const RELEASE = `${PRELUDE}
redis.call('ZREM', KEYS[5], ARGV[1])
local wasSwitching = redis.call('ZREM', KEYS[2], ARGV[1]) == 1
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', text(now))
if wasSwitching and redis.call('ZCARD', KEYS[2]) == 0 and redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HSET', KEYS[1], 'seen', ARGV[2])
end
return 1`;

/** ARGV: lifetime of the counters. */
export const COUNT_DENIED = `${PRELUDE}
redis.call('HSETNX', KEYS[3], 'started', text(now))
redis.call('HINCRBY', KEYS[3], 'denied', 1)
redis.call('PEXPIRE', KEYS[3], ARGV[1])
return 1`;

/** ARGV: lease, lifetimes of state and counters, then for each call its token, whether it runs and whether it switches. */
export const KEEP = `${PRELUDE}
for i = 4, #ARGV, 3 do
  if ARGV[i + 1] == '1' then hold(KEYS[5], ARGV[i], tonumber(ARGV[1])) end
  if ARGV[i + 2] == '1' then hold(KEYS[2], ARGV[i], tonumber(ARGV[1])) end
end
if #ARGV > 3 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return 1`;
