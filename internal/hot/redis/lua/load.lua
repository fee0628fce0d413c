-- Reads whole sets as of one moment.
-- KEYS[1] the stream, KEYS[2…] the sets. Answers the id of the stream's last entry, then of each set its members and
-- scores.
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local out = { last and last[1] or '0-0' }
for i = 2, #KEYS do out[i] = redis.call('ZRANGE', KEYS[i], 0, -1, 'WITHSCORES') end
return out
