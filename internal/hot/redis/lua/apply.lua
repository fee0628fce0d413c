-- Applies one step, all of it or nothing, once, and appends it to the stream.
-- KEYS[1] the stream, KEYS[2] writer → mark. The sets' keys have the same hash tag.
-- ARGV: 1 prefix of the sets' keys, 2 writer, 3 and 4 its mark before and after, both '' for what may be repeated,
-- 5 the entry that the step was planned at or '', 6 a random number for the entry's id, 7 how many entries the stream
-- keeps beside this one, 8 the step (step.go has its form).
-- Answers 'ok', 'again' when this very step was applied before, 'behind' when the stream has gone on, else '=' and the
-- mark found.
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
last = last and last[1] or '0-0'
if ARGV[4] ~= '' then
  local mark = redis.call('HGET', KEYS[2], ARGV[2]) or '0'
  if mark == ARGV[4] then return 'again' end
  if mark ~= ARGV[3] then return '=' .. mark end
  if ARGV[5] ~= '' and ARGV[5] ~= last then return 'behind' end
  redis.call('HSET', KEYS[2], ARGV[2], mark) -- refused by a server that is full: then nothing has been changed yet
end

if last == '0-0' then redis.call('DEL', KEYS[1]) end -- one that somebody emptied remembers its last number
redis.call('XTRIM', KEYS[1], 'MAXLEN', ARGV[7])
local number = tonumber(string.match(last, '^%d+')) + 1
redis.call('XADD', KEYS[1], string.format('%d', number) .. '-' .. ARGV[6], 'w', ARGV[2], 'n', ARGV[4], 'd', ARGV[8])

local step, at = ARGV[8], 1

local function word()
  local colon = string.find(step, ':', at, true)
  local from = colon + 1
  at = from + tonumber(string.sub(step, at, colon - 1))
  return string.sub(step, from, at - 1)
end

while at <= #step do
  local op = string.sub(step, at, at)
  at = at + 1
  local key = ARGV[1] .. word()
  if op == '0' then
    redis.call('DEL', key)
  elseif op == 'e' then
    word()
  else
    for _ = 1, tonumber(word()) do
      local member, score = word(), word()
      if op == '+' then
        if tonumber(redis.call('ZINCRBY', key, score, member)) == 0 then redis.call('ZREM', key, member) end
      elseif op == '>' then
        redis.call('ZADD', key, 'GT', score, member)
      elseif score == '0' or tonumber(redis.call('ZSCORE', key, member) or '') == tonumber(score) then
        redis.call('ZREM', key, member)
      end
    end
  end
end

if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[2], ARGV[4]) end
return 'ok'
