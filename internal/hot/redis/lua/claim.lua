-- Decides which of the things that several logs name this writer's batch counts: the first holder counts a thing, the
-- last one to let it go takes it back.
-- KEYS[1] thing → holders, KEYS[2] what was decided for this writer's batch under way, KEYS[3] writer → mark.
-- ARGV: 1 writer, 2 its mark, 3 the batch, 4 the place of the first thing; then thing, '1' or '-1', ….
-- Answers a list of 0 and 1, or '=' and the mark found. Asked again for the same batch it answers the same.
local mark = redis.call('HGET', KEYS[3], ARGV[1]) or '0'
if mark ~= ARGV[2] then return '=' .. mark end
if redis.call('HGET', KEYS[2], 'batch') ~= ARGV[3] then
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[2], 'batch', ARGV[3])
end
local out, place = {}, tonumber(ARGV[4])
for i = 5, #ARGV, 2 do
  local id, sign = ARGV[i], ARGV[i + 1]
  local field = place .. ':' .. sign .. ':' .. id
  local mine = redis.call('HGET', KEYS[2], field)
  if not mine then
    mine = '0'
    if sign == '1' then
      if redis.call('HINCRBY', KEYS[1], id, 1) == 1 then mine = '1' end
    elseif redis.call('HEXISTS', KEYS[1], id) == 1 and redis.call('HINCRBY', KEYS[1], id, -1) <= 0 then
      redis.call('HDEL', KEYS[1], id)
      mine = '1'
    end
    redis.call('HSET', KEYS[2], field, mine)
  end
  out[#out + 1] = tonumber(mine)
  place = place + 1
end
return out
