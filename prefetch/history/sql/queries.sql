-- One statement per name; ?1, ?2 … are documented where they are bound.

-- name: summary
SELECT body FROM summaries WHERE session = ?

-- name: save_summary
INSERT INTO summaries (session, at, said, done, body) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (session) DO UPDATE SET at = ?2, said = ?3, done = ?4, body = ?5

-- name: drop_oldest
DELETE FROM summaries WHERE session IN (SELECT session FROM summaries ORDER BY at DESC, session LIMIT -1 OFFSET ?)

-- name: forget_summaries
DELETE FROM summaries

-- name: forget_requests
DELETE FROM requests

-- name: forget_transcripts
DELETE FROM transcripts

-- name: save_request
INSERT INTO requests (id, session, side, at, model, input, cache_read, cache_write, output) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (id) DO UPDATE SET output = max(output, ?9)

-- name: save_transcript
INSERT INTO transcripts (file, done) VALUES (?1, ?2) ON CONFLICT (file) DO UPDATE SET done = ?2

-- name: transcript
SELECT done FROM transcripts WHERE file = ?

-- name: requests
SELECT session, side, at, model, input, cache_read, cache_write, output FROM requests
WHERE session IN (SELECT session FROM requests GROUP BY session ORDER BY max(at) DESC, session LIMIT ?) ORDER BY session, side, at, id
