-- Schema 5: one table of events, commits included; what statistics can be asked of it is no longer kept beside it.
-- Rows of the old tables come over in Go (see convert.go), and schema 6 drops those.

CREATE TABLE events (
  id      INTEGER PRIMARY KEY, -- the order of the log
  seq     INTEGER NOT NULL,    -- sequence number of the Append that brought it; grows with id
  time    INTEGER NOT NULL,    -- when it happened
  kind    TEXT    NOT NULL,    -- event.Kind
  session TEXT    NOT NULL,    -- the agent's session id, "" outside a session
  counted INTEGER,             -- commit: 1, uncommit: -1; 0 once a later uncommit or commit took it back; else NULL
  body    BLOB    NOT NULL,    -- every other field but the text, packed (see body.go)
  text    BLOB                 -- the text, sealed; a commit's is open. NULL: none
) STRICT;

CREATE TABLE ids ( -- what makes deliveries idempotent: every event ever logged
  digest INTEGER PRIMARY KEY, -- the first 8 bytes of the SHA-256 of its id
  event  INTEGER              -- events.id, of a commit that of the newest row about it; NULL: pruned or forgotten
) STRICT;

DROP TABLE touches;
CREATE TABLE touches ( -- which events acted upon a file, under the name it had then
  file    INTEGER NOT NULL, -- file_stats.id
  counted INTEGER NOT NULL, -- that of commits with at most 100 files (not 0), else 0
  event   INTEGER NOT NULL, -- events.id
  PRIMARY KEY (file, counted, event)
) STRICT, WITHOUT ROWID;

-- file_stats has every file that was ever named; its totals, like those of tag_stats, count pruned events too.
ALTER TABLE file_stats DROP COLUMN avg_session_duration;
ALTER TABLE file_stats DROP COLUMN duration;
ALTER TABLE file_stats DROP COLUMN sessions;
ALTER TABLE tag_stats DROP COLUMN files_count;
