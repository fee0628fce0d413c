-- One statement per name. The Go code asks for them by that name.

-- name: put
INSERT INTO sessions (id, state, last, snapshot) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (id) DO UPDATE SET state = ?2, last = ?3, snapshot = ?4

-- name: get
SELECT snapshot FROM sessions WHERE id = ?

-- name: list
-- ?1 state or "", ?2 1: archived ones too, ?3 limit
SELECT id, snapshot FROM sessions WHERE (?1 = '' OR state = ?1) AND (?1 <> '' OR ?2 OR state <> 'archived')
ORDER BY last DESC, id LIMIT ?3

-- name: old
SELECT id, snapshot FROM sessions WHERE last < ?1 AND state <> 'archived'

-- name: ahead
SELECT id, snapshot FROM sessions WHERE last > ?1

-- name: drop_old
DELETE FROM sessions WHERE last < ? RETURNING id

-- name: remove
DELETE FROM sessions WHERE id = ?

-- name: remove_since
DELETE FROM sessions WHERE last >= ?

-- name: remove_naming
DELETE FROM sessions WHERE instr(snapshot, ?1)

-- name: position
SELECT log, applied FROM position

-- name: set_position
UPDATE position SET log = ?1, applied = ?2

-- name: forget_numbers
-- ?1 the last batch of the log: numbers beyond it are those of another log, or of an end that was lost
UPDATE sessions SET snapshot = json_remove(snapshot, '$.seq') WHERE json_valid(snapshot) AND snapshot ->> '$.seq' > ?1
