-- Snapshots of sessions. Times are unix milliseconds, UTC.

CREATE TABLE sessions (
  id       TEXT    PRIMARY KEY, -- the agent's session id, or the name that a person gave
  state    TEXT    NOT NULL,    -- active, paused, completed, failed, archived
  last     INTEGER NOT NULL,    -- its newest event
  snapshot TEXT    NOT NULL     -- JSON: the whole snapshot, no text of anybody in it
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_last ON sessions (last);

CREATE TABLE position ( -- how much of the event log the snapshots contain
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  log     TEXT    NOT NULL, -- which log; '': not known
  applied INTEGER NOT NULL  -- the last batch that every snapshot contains
) STRICT;
INSERT INTO position VALUES (1, '', 0);
