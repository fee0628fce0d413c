-- Schema 1. Every later change is a further file; a file that was released is never edited.
-- Times are unix milliseconds, UTC.

CREATE TABLE sessions (
  id       TEXT    PRIMARY KEY, -- the agent's session id, or the name that a person gave
  state    TEXT    NOT NULL,    -- active, paused, completed, failed, archived
  last     INTEGER NOT NULL,    -- its newest event
  snapshot TEXT    NOT NULL     -- JSON: the whole snapshot, no text of anybody in it
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_last ON sessions (last);
