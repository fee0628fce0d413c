-- One statement per name. The Go code asks for them by that name; ?1, ?2 … are documented where they are bound.

-- name: known_events
SELECT event_id FROM intent_log WHERE event_id IN (VALUES (?))

-- name: is_gone
SELECT 1 FROM gone WHERE id = ?

-- name: any_gone
SELECT EXISTS (SELECT 1 FROM gone)

-- name: last_event
SELECT coalesce(max(id), 0) FROM intent_log

-- name: last_events
-- ?1 the highest number that a batch can have; a few rows, since one of them may be wrong
SELECT batch FROM (SELECT batch FROM intent_log ORDER BY id DESC LIMIT 4) WHERE batch <= ?1

-- name: last_lines
SELECT batch FROM ledger WHERE batch <= ?1 ORDER BY batch DESC LIMIT 1

-- name: last_commit
SELECT coalesce(max(id), 0) FROM commits

-- name: file_id
SELECT id FROM file_stats WHERE file = ?

-- name: insert_file
INSERT INTO file_stats (file) VALUES (?)

-- name: file_name
SELECT file FROM file_stats WHERE id = ?

-- name: insert_touch
INSERT OR IGNORE INTO touches (file, event) VALUES (?, ?)

-- name: count_files
-- file, accesses, newest, oldest, new sessions, more milliseconds
WITH v (f, n, newest, oldest, s, ms) AS (VALUES (?, ?, ?, ?, ?, ?))
UPDATE file_stats SET total_accesses = total_accesses + n, last_access = max(last_access, newest),
  first_access = CASE WHEN first_access = 0 THEN oldest ELSE min(first_access, oldest) END,
  sessions = sessions + s, duration = duration + ms
FROM v WHERE id = f

-- name: known_session_files
WITH v (s, f) AS (VALUES (?, ?))
SELECT session, file, first, last FROM v CROSS JOIN session_files ON session = s AND file = f

-- name: widen_session_files
INSERT INTO session_files (session, file, first, last, accesses) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (session, file) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
  accesses = accesses + excluded.accesses

-- name: count_tagged
INSERT INTO tag_files (tag, file, uses) VALUES (?, ?, ?)
ON CONFLICT (tag, file) DO UPDATE SET uses = uses + excluded.uses RETURNING tag, file, uses

-- name: count_session
INSERT INTO sessions (id, agent, started, last, events) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (id) DO UPDATE SET started = min(started, ?3), last = max(last, ?4), events = events + ?5,
  agent = CASE WHEN agent = '' THEN ?2 ELSE agent END
RETURNING key

-- name: count_tag
INSERT INTO tag_stats (tag, total_uses) VALUES (?1, ?2)
ON CONFLICT (tag) DO UPDATE SET total_uses = total_uses + ?2 RETURNING id

-- name: count_tag_files
UPDATE tag_stats SET files_count = files_count + ?2 WHERE id = ?1

-- name: set_meta
INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2

-- name: meta
SELECT value FROM meta WHERE key = ?

-- name: commit_body
SELECT id, sha, time, author, subject, files, rest, counted FROM commits WHERE id = ?

-- name: commits_between
-- ?1 first id, ?2 last id, ?3 the batch that counts them: a later one brought none of them
SELECT id, sha, time, author, subject, files, rest, counted FROM commits WHERE id BETWEEN ?1 AND ?2 AND batch <= ?3 ORDER BY id

-- name: count_commit
UPDATE commits SET counted = ?2 WHERE id = ?1

-- name: insert_ledger
INSERT INTO ledger (batch, pos, commit_id, n, sign, event_id) VALUES (?, ?, ?, ?, ?, ?)

-- name: delete_change
DELETE FROM changes WHERE file = ? AND commit_id = ?

-- name: delete_changes_of
DELETE FROM changes WHERE commit_id = ?

-- name: renames
SELECT was, time, became FROM renames ORDER BY was, time

-- name: insert_rename
INSERT INTO renames (was, time, became) VALUES (?1, ?2, ?3) ON CONFLICT (was, time) DO UPDATE SET became = ?3

-- name: carry_stats
UPDATE file_stats SET total_accesses = file_stats.total_accesses + old.total_accesses,
  last_access = max(file_stats.last_access, old.last_access),
  first_access = CASE WHEN file_stats.first_access = 0 THEN old.first_access
    WHEN old.first_access = 0 THEN file_stats.first_access ELSE min(file_stats.first_access, old.first_access) END
FROM (SELECT total_accesses, last_access, first_access FROM file_stats WHERE id = ?1) AS old
WHERE id = ?2 AND old.total_accesses > 0

-- name: clear_stats
UPDATE file_stats SET total_accesses = 0, last_access = 0, first_access = 0, sessions = 0, duration = 0 WHERE id = ?

-- name: carry_session_files
INSERT INTO session_files (session, file, first, last, accesses)
  SELECT session, ?2, first, last, accesses FROM session_files WHERE file = ?1
ON CONFLICT (session, file) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
  accesses = accesses + excluded.accesses

-- name: drop_session_files
DELETE FROM session_files WHERE file = ?

-- name: recount_file_sessions
UPDATE file_stats SET
  sessions = (SELECT count(*) FROM session_files WHERE file = ?1),
  duration = (SELECT coalesce(sum(last - first), 0) FROM session_files WHERE file = ?1)
WHERE id = ?1

-- name: carry_tag_files
INSERT INTO tag_files (tag, file, uses) SELECT tag, ?2, uses FROM tag_files WHERE file = ?1
ON CONFLICT (tag, file) DO UPDATE SET uses = uses + excluded.uses

-- name: cursor
SELECT ref, sha FROM cursor ORDER BY ref

-- name: set_cursor
INSERT INTO cursor (ref, sha) VALUES (?1, ?2) ON CONFLICT (ref) DO UPDATE SET sha = ?2

-- name: delete_cursor
DELETE FROM cursor WHERE ref = ?

-- name: replay_events
SELECT batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
WHERE id >= (SELECT coalesce(min(id), 1) FROM intent_log WHERE batch > ?1) AND batch > ?1 ORDER BY id

-- name: rescue_events
SELECT id, batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
WHERE id >= ? ORDER BY id

-- name: rescue_gone
SELECT id FROM gone WHERE id >= ? ORDER BY id

-- name: any_sealed
SELECT EXISTS (SELECT 1 FROM intent_log WHERE sealed IS NOT NULL)

-- name: replay_ledger
SELECT batch, pos, commit_id, n, sign, event_id FROM ledger WHERE batch > ? ORDER BY batch, pos

-- name: clear_snapshot
DELETE FROM snapshot

-- name: clear_blocks
DELETE FROM snapshot_block

-- name: delete_record
DELETE FROM snapshot WHERE key = ?

-- name: add_block
INSERT INTO snapshot_block (first, data) VALUES (?, ?)

-- name: block_of
SELECT data FROM snapshot_block WHERE first <= ? ORDER BY first DESC LIMIT 1

-- name: any_record
SELECT EXISTS (SELECT 1 FROM snapshot) OR EXISTS (SELECT 1 FROM snapshot_block)

-- name: snapshot
SELECT key, data FROM snapshot ORDER BY key

-- name: blocks
SELECT data FROM snapshot_block ORDER BY first

-- name: together
SELECT count(*) FROM changes a CROSS JOIN changes b ON b.file = ?2 AND b.commit_id = a.commit_id WHERE a.file = ?1

-- name: changes_of
SELECT count(*) FROM changes WHERE file = ?

-- name: newest_commits
SELECT time, sha, files FROM commits WHERE counted = 1 ORDER BY time DESC LIMIT ?

-- name: log_by_time
-- ?1 since, ?2 until, ?3 ",kind,kind," or "", ?4 limit, ?5 session, ?6 file; the same for the next two
SELECT batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
WHERE timestamp >= ?1 AND timestamp < ?2 AND (?3 = '' OR instr(?3, ',' || kind || ','))
  AND ?5 = '' AND ?6 = ''
ORDER BY timestamp DESC, id DESC LIMIT ?4

-- name: log_by_session
SELECT batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
WHERE session_id = ?5 AND session_id <> '' AND timestamp >= ?1 AND timestamp < ?2
  AND (?3 = '' OR instr(?3, ',' || kind || ',')) AND ?6 = ''
ORDER BY timestamp DESC, id DESC LIMIT ?4

-- name: log_by_file
WITH RECURSIVE name (id) AS (
  SELECT id FROM file_stats WHERE file = ?6
  UNION SELECT was FROM renames JOIN name ON renames.became = name.id)
SELECT batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
WHERE id IN (SELECT event FROM touches WHERE file IN (SELECT id FROM name))
  AND timestamp >= ?1 AND timestamp < ?2 AND (?3 = '' OR instr(?3, ',' || kind || ','))
  AND (?5 = '' OR session_id = ?5)
ORDER BY timestamp DESC, id DESC LIMIT ?4

-- name: log_commits
-- ?1 since, ?2 until, ?3 limit
SELECT id, sha, time, author, subject, files, rest, counted FROM commits
WHERE counted = 1 AND time >= ?1 AND time < ?2 ORDER BY time DESC, id DESC LIMIT ?3

-- name: log_uncommits
--- ?1 since, ?2 until, ?3 limit
SELECT id, sha, time, author, subject, files, rest, counted FROM commits
WHERE counted = 0 AND time >= ?1 AND time < ?2 ORDER BY time DESC, id DESC LIMIT ?3

-- name: log_commits_by_file
-- ?1 since, ?2 until, ?3 limit, ?4 the short name of the file, ?5 and ?6 when it bore that name
SELECT id, sha, time, author, subject, files, rest, counted FROM commits
WHERE id IN (SELECT commit_id FROM changes WHERE file = ?4) AND time > ?5 AND time <= ?6
  AND time >= ?1 AND time < ?2 ORDER BY time DESC, id DESC LIMIT ?3

-- name: commits_of
-- ?1 the short name of the file, ?2 and ?3 when it bore that name
SELECT c.commit_id FROM changes c CROSS JOIN commits k ON k.id = c.commit_id
WHERE c.file = ?1 AND k.time > ?2 AND k.time <= ?3

-- name: file_stats
SELECT file, total_accesses, first_access, last_access, avg_session_duration FROM file_stats
WHERE total_accesses > 0 ORDER BY total_accesses DESC, last_access DESC, file LIMIT ?

-- name: tag_stats
SELECT tag, total_uses, files_count FROM tag_stats WHERE total_uses > 0 ORDER BY total_uses DESC, tag LIMIT ?

-- name: session_stats
SELECT id, agent, started, last, events, (SELECT count(*) FROM session_files WHERE session = key) FROM sessions
ORDER BY last DESC, id LIMIT ?

-- name: save_answer
INSERT INTO answers (at, json) VALUES (?1, ?2) ON CONFLICT (at) DO UPDATE SET json = ?2

-- name: has_answer
SELECT 1 FROM answers WHERE at = ?

-- name: count_answers
SELECT count(*) FROM answers

-- name: drop_oldest_answer
-- ?1 a time that no answer of a right clock has: one from after it goes first
DELETE FROM answers WHERE at = coalesce((SELECT max(at) FROM answers WHERE at > ?1), (SELECT min(at) FROM answers))

-- name: answer
SELECT json FROM answers WHERE at = ?

-- name: status
SELECT (SELECT count(*) FROM intent_log), (SELECT count(*) FROM commits WHERE counted = 1),
  (SELECT count(*) FROM file_stats), (SELECT count(*) FROM sessions),
  (SELECT coalesce(min(timestamp), 0) FROM intent_log), (SELECT coalesce(max(timestamp), 0) FROM intent_log)

-- name: oldest_events
SELECT id, batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
ORDER BY id LIMIT ?

-- name: days_of_log
-- the newest time that was logged by then, and the last batch, of each day that such a time falls on
SELECT max(newest), max(batch) FROM (SELECT batch, max(timestamp) OVER (ORDER BY id) AS newest FROM intent_log)
GROUP BY newest / 86400000 ORDER BY 1

-- name: delete_event
DELETE FROM intent_log WHERE id = ?

-- name: delete_touch
DELETE FROM touches WHERE file = ?1 AND event = ?2

-- name: insert_gone
INSERT OR IGNORE INTO gone (id) VALUES (?)

-- name: all_events
SELECT id, batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
WHERE (?1 = '' OR session_id = ?1) AND timestamp >= ?2 AND (?3 = '' OR instr(files, ?3) OR instr(rest, ?3) OR raw = 1
  OR sealed IS NOT NULL)
ORDER BY id

-- name: files_below
SELECT id, file FROM file_stats WHERE file = ?1 OR substr(file, 1, length(?1) + 1) = ?1 || '/'

-- name: commits_after
SELECT id, sha, time, author, subject, files, rest, counted FROM commits WHERE id > ? ORDER BY id LIMIT ?

-- name: update_commit
UPDATE commits SET subject = ?2, files = ?3, rest = ?4 WHERE id = ?1

-- name: forget_changes
DELETE FROM changes WHERE file = ?

-- name: forget_touches
DELETE FROM touches WHERE file = ?

-- name: forget_tag_files
DELETE FROM tag_files WHERE file = ?

-- name: forget_renames
DELETE FROM renames WHERE was = ?1 OR became = ?1

-- name: forget_file
DELETE FROM file_stats WHERE id = ?

-- name: recount_tags
UPDATE tag_stats SET files_count = (SELECT count(*) FROM tag_files WHERE tag = tag_stats.id AND uses > 0)

-- name: drop_unused_tags
DELETE FROM tag_stats WHERE total_uses <= 0

-- name: drop_unused_tag_files
DELETE FROM tag_files WHERE uses <= 0

-- name: drop_unused_session_files
DELETE FROM session_files WHERE accesses <= 0

-- name: drop_empty_sessions
DELETE FROM sessions WHERE events <= 0

-- name: recount_session
UPDATE sessions SET last = coalesce((SELECT max(timestamp) FROM intent_log WHERE session_id = ?1
  AND kind NOT IN ('suggest', 'outcome', 'feedback', 'tick')), started) WHERE id = ?1

-- name: recount_file
UPDATE file_stats SET last_access = CASE WHEN total_accesses <= 0 THEN 0 ELSE coalesce(
    (SELECT max(timestamp) FROM touches JOIN intent_log ON intent_log.id = touches.event WHERE touches.file = ?1
      AND kind IN ('read', 'edit', 'write', 'save')), min(last_access, ?2)) END,
  first_access = CASE WHEN total_accesses <= 0 THEN 0 ELSE first_access END,
  total_accesses = max(total_accesses, 0)
WHERE id = ?1

-- name: forget_answers
DELETE FROM answers WHERE at >= ?1 AND (?2 = '' OR instr(json, ?2) OR instr(json, ?3))

-- name: accesses_of
SELECT total_accesses FROM file_stats WHERE id = ?

-- name: clamp_session_files
UPDATE session_files SET last = max(first, min(last, ?1)) WHERE last > ?1

-- name: recount_all_file_sessions
UPDATE file_stats SET
  sessions = (SELECT count(*) FROM session_files WHERE file = file_stats.id),
  duration = (SELECT coalesce(sum(last - first), 0) FROM session_files WHERE file = file_stats.id)
WHERE sessions > 0

-- name: sessions_since
SELECT id FROM sessions WHERE last >= ?

-- name: renamed
SELECT became FROM renames WHERE was = ?1 ORDER BY time DESC LIMIT 1

-- name: thread
-- ?1 session, ?2 after id, ?3 prompts after id, ?4 limit: the newest of them, newest first
SELECT id, batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
WHERE session_id = ?1 AND session_id <> '' AND id > min(?2, ?3) AND (id > ?2 OR kind = 'prompt')
  AND kind NOT IN ('suggest', 'outcome', 'feedback', 'tick') ORDER BY id DESC LIMIT ?4

-- name: prompts_after
-- ?1 after id, ?2 limit: the newest of them, newest first
SELECT id, batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM intent_log
WHERE id > ?1 AND kind = 'prompt' ORDER BY id DESC LIMIT ?2

-- name: turn
-- ?1 session, ?2 from id, ?3 limit: the oldest of them, newest first
SELECT id, batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed FROM (
  SELECT * FROM intent_log WHERE session_id = ?1 AND session_id <> '' AND id >= ?2
    AND kind NOT IN ('suggest', 'outcome', 'feedback', 'tick') ORDER BY id LIMIT ?3) ORDER BY id DESC
