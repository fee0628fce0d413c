-- Applies one step of a batch, all of it or nothing, once. Twin: the embedded half of Store.transact and Store.once,
-- with the plain commands that writes.move, writes.join, drop and reap plan for it.
-- KEYS[1] the writer's mark, KEYS[2] the server's epoch, KEYS[3…] what the commands touch.
-- ARGV[1] the epoch that the writer knows; ARGV[2] and ARGV[3] the mark before and after, both '' for housekeeping,
-- which may be repeated; then the commands: number of words, name, index in KEYS, the other words.
-- Answers 'ok', 'again' when this very step was applied before, 'epoch' on another server, else '=' and the mark found.
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 'epoch' end
if ARGV[3] ~= '' then
  local mark = redis.call('GET', KEYS[1]) or '0'
  if mark == ARGV[3] then return 'again' end
  if mark ~= ARGV[2] then return '=' .. mark end
  redis.call('SET', KEYS[1], mark) -- refused by a server that is full: then nothing has been changed yet
end

local op = {}

-- key, 'add' or 'max', old name, new name, …: scores go over to new names. All old ones go first, for one's old name
-- may be another's new one.
function op.MOVE(key, a, from, to)
  local name, score = {}, {}
  for i = from + 1, to, 2 do
    local s = redis.call('ZSCORE', key, a[i])
    if s then
      redis.call('ZREM', key, a[i])
      name[#name + 1], score[#score + 1] = a[i + 1], s
    end
  end
  for i = 1, #name do
    if a[from] == 'max' then
      redis.call('ZADD', key, 'GT', score[i], name[i])
    else
      redis.call('ZINCRBY', key, score[i], name[i])
    end
  end
end

-- several keys, each with the owner's new name and the index of its new set: a renamed owner's sets are emptied first,
-- then added to their new names. JOIN key, number of sets, then (old set, new set, new owner)…, then old name, new
-- name, … of members.
function op.JOIN(_, a, from, to)
  local n = tonumber(a[from])
  local names = {}
  for i = from + 1 + 3 * n, to, 2 do names[a[i]] = a[i + 1] end
  local sets = {}
  for j = 1, n do
    local old = KEYS[tonumber(a[from + 3 * j - 2])]
    sets[j] = redis.call('ZRANGE', old, 0, -1, 'WITHSCORES')
    redis.call('DEL', old)
  end
  for j = 1, n do
    local new, owner = KEYS[tonumber(a[from + 3 * j - 1])], a[from + 3 * j]
    for i = 1, #sets[j], 2 do
      local member = names[sets[j][i]] or sets[j][i]
      if member ~= owner then redis.call('ZINCRBY', new, sets[j][i + 1], member) end
    end
  end
end

-- key, member, score, …: members go that are still worth what they were when somebody looked.
function op.DROP(key, a, from, to)
  for i = from, to, 2 do
    local s = redis.call('ZSCORE', key, a[i])
    if s and tonumber(s) == tonumber(a[i + 1]) then redis.call('ZREM', key, a[i]) end
  end
end

-- deadlines, time, session, indexes of its keys…: a session goes whose deadline has passed by that time.
function op.REAP(key, a, from, to)
  local s = redis.call('ZSCORE', key, a[from + 1])
  if s and tonumber(s) > tonumber(a[from]) then return end
  for i = from + 2, to do redis.call('DEL', KEYS[tonumber(a[i])]) end
  redis.call('ZREM', key, a[from + 1])
end

-- hash, field, number: the number grows.
function op.GROW(key, a, from)
  local old = redis.call('HGET', key, a[from])
  if not old or tonumber(old) < tonumber(a[from + 1]) then redis.call('HSET', key, a[from], a[from + 1]) end
end

local i = 4
while i <= #ARGV do
  local last = i + tonumber(ARGV[i])
  local name, key = ARGV[i + 1], KEYS[tonumber(ARGV[i + 2])]
  if op[name] then
    op[name](key, ARGV, i + 3, last)
  elseif last >= i + 3 then
    redis.call(name, key, unpack(ARGV, i + 3, last))
  else
    redis.call(name, key)
  end
  i = last + 1
end
if ARGV[3] ~= '' then redis.call('SET', KEYS[1], ARGV[3]) end
return 'ok'
