-- The event log. Times are unix milliseconds, UTC. TEXT holds bytes as git has them: a path need not be UTF-8.

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
CREATE INDEX events_time ON events (time) WHERE counted IS NULL;
CREATE INDEX events_counted ON events (counted, time) WHERE counted IS NOT NULL;
CREATE INDEX events_session ON events (session, time, kind) WHERE session <> '';
CREATE INDEX events_prompt ON events (kind) WHERE kind = 'prompt';

CREATE TABLE ids ( -- what makes deliveries idempotent: every event ever logged
  digest INTEGER PRIMARY KEY, -- the first 8 bytes of the SHA-256 of its id
  event  INTEGER              -- events.id, of a commit that of the newest row about it; NULL: pruned or forgotten
) STRICT;

CREATE TABLE peers ( -- events that the daemons of other clones have logged; ids has what was ever here
  id     INTEGER PRIMARY KEY, -- the order of the log
  seq    INTEGER NOT NULL,    -- sequence number of the AppendPeers that brought it, of those of events
  time   INTEGER NOT NULL,    -- when it happened
  origin TEXT    NOT NULL,    -- who logged it
  body   BLOB    NOT NULL     -- the event as JSON
) STRICT;
CREATE INDEX peers_seq ON peers (seq);
CREATE INDEX peers_origin ON peers (origin);

CREATE TABLE touches ( -- which events acted upon a file, under the name it had then
  file    INTEGER NOT NULL, -- files.id
  counted INTEGER NOT NULL, -- that of commits with at most 100 files (not 0), else 0
  event   INTEGER NOT NULL, -- events.id
  PRIMARY KEY (file, counted, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE files ( -- every file that was ever named
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

CREATE TABLE forgets ( -- what somebody wants to be forgotten, until it is
  id      INTEGER PRIMARY KEY,
  path    TEXT    NOT NULL, -- one of path, session and since is set, none once it is done
  session TEXT    NOT NULL,
  since   INTEGER NOT NULL,
  asked   INTEGER NOT NULL, -- events that happened later stay
  done    INTEGER NOT NULL  -- 1: it is out of log and cache, only old bytes are left
) STRICT;

CREATE TABLE undos ( -- what files were before a replay edited them
  id     TEXT    PRIMARY KEY,
  at     INTEGER NOT NULL, -- unix milliseconds
  made   TEXT    NOT NULL, -- the call that edited: one that arrives twice edits once; '': not known
  unmade TEXT    NOT NULL, -- the call that puts back
  done   INTEGER NOT NULL, -- 1: the files are put back
  data   BLOB    NOT NULL  -- sealed
) STRICT;
