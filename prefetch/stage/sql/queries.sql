-- Every statement of this room, by name.

-- name: entry
SELECT key, stage, created, used, hits, ttl, exit, duration, bytes, stdout, stderr, files, command, model, sum FROM entries WHERE key = ?
-- name: entries
SELECT key, stage, created, used, hits, ttl, exit, duration, bytes, stdout, stderr, files, command, model, sum FROM entries
WHERE ?1 = '' OR stage = ?1 ORDER BY created DESC, key LIMIT ?2
-- name: like_key
SELECT key, stage, created, used, hits, ttl, exit, duration, bytes, stdout, stderr, files, command, model, sum FROM entries
WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key LIMIT 2
-- name: nearest
SELECT key, created, material, deps FROM entries WHERE stage = ? ORDER BY created DESC, key LIMIT ?
-- name: put_entry
INSERT OR REPLACE INTO entries (key, stage, created, used, hits, ttl, exit, duration, bytes, stdout, stderr, files, command, model, sum, deps, material)
VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- name: used
UPDATE entries SET used = ?, hits = hits + 1 WHERE key = ?
-- name: drop_entry
DELETE FROM entries WHERE key = ?
-- name: doomed
SELECT key FROM entries WHERE (?1 = '' OR stage = ?1 OR key = ?1) AND used < ?2
-- name: oldest
SELECT key, bytes FROM entries ORDER BY used, key
-- name: total
SELECT count(*), coalesce(sum(bytes), 0) FROM entries
-- name: keys
SELECT key FROM entries
-- name: saved
INSERT INTO saved (stage, hits, misses, ms) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (stage) DO UPDATE SET hits = hits + ?2, misses = misses + ?3, ms = ms + ?4
-- name: drop_saved
DELETE FROM saved
-- name: stats
SELECT s.stage, s.hits, s.misses, s.ms, count(e.key), coalesce(sum(e.bytes), 0)
FROM saved s LEFT JOIN entries e ON e.stage = s.stage GROUP BY s.stage ORDER BY s.ms DESC, s.stage

-- name: digests
SELECT path, size, mtime, ctime, inode, mode, sum FROM digests ORDER BY seen DESC LIMIT ?
-- name: put_digest
INSERT OR REPLACE INTO digests (path, size, mtime, ctime, inode, mode, sum, seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
-- name: drop_digests
DELETE FROM digests WHERE seen < ?
-- name: forget_digests_since
DELETE FROM digests WHERE seen >= ?
-- name: forget_digests_of
DELETE FROM digests WHERE instr(replace(path, '\', '/') || '/', '/' || ? || '/') > 0

-- name: outputs
SELECT stage, prompt, json, value, at FROM outputs WHERE session = ? ORDER BY at, stage, prompt
-- name: put_output
INSERT OR REPLACE INTO outputs (session, stage, prompt, json, value, at) VALUES (?, ?, ?, ?, ?, ?)
-- name: contexts
SELECT name, value FROM contexts WHERE session = ? ORDER BY name
-- name: put_context
INSERT OR REPLACE INTO contexts (session, name, value, at) VALUES (?, ?, ?, ?)
-- name: session_bytes
SELECT (SELECT coalesce(sum(length(value)), 0) FROM outputs WHERE session = ?1) + (SELECT coalesce(sum(length(value)), 0) FROM contexts WHERE session = ?1)
-- name: run
SELECT state, tokens FROM runs WHERE session = ? AND pipeline = ?
-- name: put_run
INSERT INTO runs (session, pipeline, state, began, at, tokens) VALUES (?1, ?2, ?3, ?4, ?4, ?5)
ON CONFLICT (session, pipeline) DO UPDATE SET state = ?3, at = ?4, tokens = tokens + ?5
-- name: sessions
SELECT session, max(at), sum(tokens), count(*) FROM runs GROUP BY session ORDER BY 2 DESC LIMIT ?
-- name: steps
SELECT stage, key FROM steps WHERE session = ? AND pipeline = ?
-- name: put_step
INSERT OR REPLACE INTO steps (session, pipeline, stage, key) VALUES (?, ?, ?, ?)
-- name: drop_steps
DELETE FROM steps WHERE session = ? AND pipeline = ?
-- name: loaded
SELECT at, data FROM loaded WHERE session = ?
-- name: put_loaded
INSERT OR REPLACE INTO loaded (session, at, data) VALUES (?, ?, ?)
-- name: old_sessions
SELECT session FROM runs GROUP BY session HAVING max(at) < ?
-- name: new_sessions
SELECT session FROM runs GROUP BY session HAVING max(at) >= ?1 UNION SELECT session FROM outputs WHERE at >= ?1
UNION SELECT session FROM contexts WHERE at >= ?1 UNION SELECT session FROM loaded WHERE at >= ?1
-- name: new_entries
SELECT key FROM entries WHERE created >= ?
-- name: materials
SELECT key, material, command, deps FROM entries
-- name: drop_outputs
DELETE FROM outputs WHERE session = ?
-- name: drop_contexts
DELETE FROM contexts WHERE session = ?
-- name: drop_runs
DELETE FROM runs WHERE session = ?
-- name: drop_session_steps
DELETE FROM steps WHERE session = ?
-- name: drop_loaded
DELETE FROM loaded WHERE session = ?
-- name: forget_loaded
DELETE FROM loaded

-- name: date_entries
-- ?1 now, ?2 a time that only a clock that ran ahead has told; the same for the next two
UPDATE entries SET used = ?1 WHERE used > ?2

-- name: date_runs
UPDATE runs SET at = ?1 WHERE at > ?2

-- name: date_digests
UPDATE digests SET seen = ?1 WHERE seen > ?2

-- name: put_call
INSERT OR IGNORE INTO calls (id, at) VALUES (?, ?)

-- name: drop_calls
DELETE FROM calls WHERE at < ?1 OR at > ?2
