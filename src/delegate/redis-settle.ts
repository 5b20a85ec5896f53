/**
 * Lua function `settle`: adds dead letter and reply and removes the entry in one step, so that an entry is answered once, whoever settles it.
 * Returns a word of `Settled`.
 */
export const SETTLE = `
local function settle(call)
  if #redis.call('XPENDING', call.stream, call.group, call.id, call.id, 1) == 0 then return 'gone' end
  local word = 'settled'
  if call.letter then redis.call('XADD', call.letters, '*', unpack(call.letter)) end
  if call.reply ~= '' then
    local added = redis.pcall('XADD', call.lane, '*', 'data', call.reply)
    if type(added) == 'table' then word = 'unanswered' else redis.call('EXPIRE', call.lane, call.ttl) end
  end
  redis.call('XACK', call.stream, call.group, call.id)
  redis.call('XDEL', call.stream, call.id)
  return word
end`;
