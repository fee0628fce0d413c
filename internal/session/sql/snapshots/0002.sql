-- Schema 2: how much of the event log the snapshots contain.

CREATE TABLE position (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  log     TEXT    NOT NULL, -- which log
  applied INTEGER NOT NULL  -- the last batch that every snapshot contains; -1: not known
) STRICT;
INSERT INTO position SELECT 1, '', CASE WHEN EXISTS (SELECT 1 FROM sessions) THEN -1 ELSE 0 END;
