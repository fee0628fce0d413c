-- name: sequences
SELECT id, used, uses, successes, failures, data FROM sequences ORDER BY used, id

-- name: save_sequence
INSERT INTO sequences (id, used, uses, successes, failures, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (id) DO UPDATE SET used = ?2, uses = ?3, successes = ?4, failures = ?5, data = ?6

-- name: drop_sequence
DELETE FROM sequences WHERE id = ?

-- name: add_offer
INSERT INTO offers (at, session, sequence, similarity) VALUES (?, ?, ?, ?)

-- name: accept_offer
UPDATE offers SET accepted = ?1 WHERE id = (SELECT max(id) FROM offers WHERE sequence = ?2 AND (?3 = '' OR session = ?3) AND accepted = 0 AND at >= ?4)

-- name: trim_offers
DELETE FROM offers WHERE id <= (SELECT coalesce(max(id), 0) FROM offers) - ?

-- name: count_offers
SELECT count(*), coalesce(sum(accepted > 0), 0) FROM offers

-- name: forget_offers
DELETE FROM offers WHERE session = ?

-- name: add_undo
INSERT INTO undos (id, at, sequence, data, made) VALUES (?, ?, ?, ?, ?)

-- name: undo
SELECT id, sequence, done, data FROM undos WHERE id = ?

-- name: last_undo
SELECT id, sequence, done, data FROM undos WHERE done = 0 ORDER BY rowid DESC LIMIT 1

-- name: undo_made_by
SELECT id, sequence, done, data FROM undos WHERE made = ?1 AND ?1 <> ''

-- name: undo_unmade_by
SELECT id, sequence, done, data FROM undos WHERE unmade = ?1 AND ?1 <> ''

-- name: undoing
UPDATE undos SET unmade = ?2 WHERE id = ?1

-- name: undone
UPDATE undos SET done = 1 WHERE id = ?

-- name: undos
SELECT id, data FROM undos

-- name: drop_undo
DELETE FROM undos WHERE id = ?

-- name: trim_undos
DELETE FROM undos WHERE id NOT IN (SELECT id FROM undos ORDER BY rowid DESC LIMIT ?)

-- name: counts
SELECT name, value FROM counts

-- name: save_count
INSERT INTO counts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2
