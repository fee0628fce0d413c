-- The event log. Times are unix milliseconds, UTC. TEXT holds bytes as git has them: a path need not be UTF-8.

CREATE TABLE events (
  id       INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of the log
  seq      INTEGER NOT NULL, -- number of its batch: the id of the last event of the Append that brought it
  time     INTEGER NOT NULL, -- when it happened
  kind     TEXT    NOT NULL, -- event.Kind
  name     TEXT    NOT NULL, -- event.Event.ID
  origin   TEXT    NOT NULL, -- the log of another clone that had it first, else ""
  agent    TEXT    NOT NULL,
  session  TEXT    NOT NULL, -- the agent's session id, "" outside a session
  subagent TEXT    NOT NULL,
  turn     TEXT    NOT NULL,
  counted  INTEGER,          -- commit: 1, uncommit: -1; 0 once a later uncommit or commit took it back;
                             -- of another clone: 2; else NULL
  body     BLOB    NOT NULL, -- event.Body as CBOR, but for a text that is sealed
  text     BLOB              -- the sealed text; NULL: none
) STRICT;
CREATE INDEX events_time ON events (time) WHERE counted IS NULL;
CREATE INDEX events_counted ON events (counted, time) WHERE counted IS NOT NULL;
CREATE INDEX events_session ON events (session, time, kind) WHERE session <> '' AND counted IS NULL;
CREATE INDEX events_prompt ON events (kind) WHERE kind = 'prompt' AND counted IS NULL;

CREATE TABLE ids ( -- what makes deliveries idempotent: every event ever logged
  digest INTEGER PRIMARY KEY, -- the first 8 bytes of the SHA-256 of its id
  event  INTEGER              -- events.id, of a commit that of the newest row about it; NULL: pruned or forgotten
) STRICT;

CREATE TABLE touches ( -- which events acted upon a file, under the name it had then
  file    INTEGER NOT NULL, -- files.id
  counted INTEGER NOT NULL, -- that of commits with at most 100 files (not 0), else 0
  event   INTEGER NOT NULL, -- events.id
  PRIMARY KEY (file, counted, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE files ( -- every file that an event acted upon
  id   INTEGER PRIMARY KEY,  -- short name of the file in this database, never reused for another path
  file TEXT    NOT NULL UNIQUE -- the path
) STRICT;

CREATE TABLE renames ( -- commits up to that time that name the old file mean the new one
  was    INTEGER NOT NULL, -- files.id of the old name
  time   INTEGER NOT NULL, -- when it was renamed
  became INTEGER NOT NULL, -- files.id of the new name
  PRIMARY KEY (was, time)
) STRICT, WITHOUT ROWID;
CREATE INDEX renames_became ON renames (became);

CREATE TABLE cursor ( -- how far the import of the history has come
  ref TEXT PRIMARY KEY, -- name of the ref
  sha TEXT NOT NULL     -- its commit when it was last looked at
) STRICT, WITHOUT ROWID;

CREATE TABLE meta ( -- small facts: those of db.go and what the daemon keeps
  key   TEXT PRIMARY KEY, -- name of the fact
  value TEXT NOT NULL     -- the fact
) STRICT, WITHOUT ROWID;
