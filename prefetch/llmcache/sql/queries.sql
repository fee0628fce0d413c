-- One statement per name. The Go code asks for them by that name.

-- name: enter_session
INSERT INTO sessions (id, created, accessed, items, used) VALUES (?1, ?2, ?2, 0, 0)
ON CONFLICT (id) DO UPDATE SET accessed = max(accessed, ?2) RETURNING used

-- name: find_item
SELECT id, size FROM items WHERE key = ?

-- name: item_of_call
SELECT key, size, written FROM items WHERE call = ?

-- name: insert_item
INSERT INTO items (key, session, task, description, size, created, written, accessed, call) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?7)
RETURNING id

-- name: update_item
UPDATE items SET description = ?2, size = ?3, written = ?4, accessed = ?4, call = ?5 WHERE id = ?1

-- name: put_content
INSERT INTO contents (item, json, notes, data) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (item) DO UPDATE SET json = ?2, notes = ?3, data = ?4

-- name: account
UPDATE sessions SET used = used + ?2, items = items + ?3 WHERE id = ?1

-- name: least_used
SELECT key, size, accessed FROM items WHERE session = ? ORDER BY accessed, id

-- name: content
SELECT i.key, i.session, i.description, i.size, i.written, c.json, c.notes, c.data FROM items i JOIN contents c ON c.item = i.id
WHERE i.key = ?

-- name: contents
SELECT i.key, i.session, i.written, i.description, c.notes, c.data FROM items i JOIN contents c ON c.item = i.id

-- name: touch_item
UPDATE items SET accessed = max(accessed, ?2) WHERE key = ?1

-- name: touch_session
UPDATE sessions SET accessed = max(accessed, ?2) WHERE id = ?1

-- name: list
-- ?1 session or "", ?2 task or "", ?3 since, ?4 until, ?5 limit
SELECT key, description, size, written FROM items
WHERE (?1 = '' OR session = ?1) AND (?2 = '' OR task = ?2) AND written >= ?3 AND written < ?4
ORDER BY written DESC, id DESC LIMIT ?5

-- name: count
-- as list
SELECT count(*) FROM items WHERE (?1 = '' OR session = ?1) AND (?2 = '' OR task = ?2) AND written >= ?3 AND written < ?4

-- name: delete_item
DELETE FROM items WHERE key = ? RETURNING session, size

-- name: delete_session
DELETE FROM sessions WHERE id = ? RETURNING items, used

-- name: end_session
UPDATE sessions SET ended = ?2 WHERE id = ?1

-- name: resume_session
UPDATE sessions SET ended = NULL, accessed = max(accessed, ?2) WHERE id = ?1

-- name: position
SELECT log, applied FROM position

-- name: set_position
UPDATE position SET log = ?1, applied = ?2

-- name: date_sessions
-- ?1 now, ?2 a time that only a clock that ran ahead has told
UPDATE sessions SET accessed = min(accessed, ?1), ended = min(ended, ?1) WHERE accessed > ?2 OR ended > ?2

-- name: sessions
SELECT id, created, accessed, coalesce(ended, 0), items, used FROM sessions ORDER BY accessed DESC, id

-- name: session
SELECT accessed, coalesce(ended, 0) FROM sessions WHERE id = ?

-- name: stored
SELECT coalesce(sum(length(data) + length(notes)), 0) FROM contents
