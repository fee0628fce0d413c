-- Schema 1. Every later change is a further file; a file that was released is never edited.
-- Times are unix milliseconds, UTC. TEXT holds bytes as git has them: a path need not be UTF-8.

CREATE TABLE intent_log (
  id         INTEGER PRIMARY KEY, -- grows with (batch, pos): reading by id is reading in order
  batch      INTEGER NOT NULL,    -- sequence number of the Append that brought it
  pos        INTEGER NOT NULL,    -- place among the fresh events of the batch, from 0
  event_id   TEXT    NOT NULL UNIQUE, -- the event's own id: what makes deliveries idempotent
  timestamp  INTEGER NOT NULL,    -- when it happened
  kind       TEXT    NOT NULL,    -- aoa.Kind
  agent      TEXT    NOT NULL,    -- "claude", "git", "watch", …
  session_id TEXT    NOT NULL,    -- "" outside a session
  tool       TEXT    NOT NULL,    -- the agent's tool name
  files      TEXT    NOT NULL,    -- JSON array: the files acted upon
  tags       TEXT    NOT NULL,    -- JSON array: intent tags without '#'
  rest       TEXT    NOT NULL,    -- JSON object: every other field of the event
  raw        INTEGER NOT NULL     -- 1: some string was not UTF-8; all are stored byte by byte as Latin-1
) STRICT;
CREATE INDEX intent_timestamp ON intent_log (timestamp);
CREATE INDEX intent_session ON intent_log (session_id, timestamp) WHERE session_id <> '';

CREATE TABLE touches ( -- which logged events acted upon a file, for questions by file
  file  INTEGER NOT NULL, -- file_stats.id
  event INTEGER NOT NULL, -- intent_log.id
  PRIMARY KEY (file, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_stats (
  id             INTEGER PRIMARY KEY,        -- short name of the file in this database, never reused for another path
  file           TEXT    NOT NULL UNIQUE,    -- the path
  total_accesses INTEGER NOT NULL DEFAULT 0, -- reads, edits, writes and saves
  last_access    INTEGER NOT NULL DEFAULT 0, -- time of the newest, 0 if none
  first_access   INTEGER NOT NULL DEFAULT 0, -- time of the oldest, 0 if none
  sessions       INTEGER NOT NULL DEFAULT 0, -- sessions that accessed it
  duration       INTEGER NOT NULL DEFAULT 0, -- milliseconds between its first and last access, summed over those
  avg_session_duration REAL GENERATED ALWAYS AS -- seconds that a session keeps coming back to it, on average
    (CASE WHEN sessions > 0 THEN duration / 1000.0 / sessions ELSE 0.0 END) VIRTUAL
) STRICT;
CREATE INDEX file_accesses ON file_stats (total_accesses) WHERE total_accesses > 0;

CREATE TABLE tag_stats (
  id          INTEGER PRIMARY KEY,        -- short name of the tag in this database
  tag         TEXT    NOT NULL UNIQUE,    -- without '#'
  total_uses  INTEGER NOT NULL DEFAULT 0, -- events that carried it
  files_count INTEGER NOT NULL DEFAULT 0  -- different files acted upon under it
) STRICT;

CREATE TABLE tag_files ( -- what tag_stats.files_count counts
  tag  INTEGER NOT NULL, -- tag_stats.id
  file INTEGER NOT NULL, -- file_stats.id
  uses INTEGER NOT NULL, -- events that carried the tag and acted upon the file
  PRIMARY KEY (tag, file)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  key     INTEGER PRIMARY KEY,     -- short name of the session in this database
  id      TEXT    NOT NULL UNIQUE, -- the agent's session id
  agent   TEXT    NOT NULL,        -- which agent
  started INTEGER NOT NULL,        -- time of its first event
  last    INTEGER NOT NULL,        -- time of its newest event
  events  INTEGER NOT NULL         -- events of people and agents, not aOa's own predictions
) STRICT;

CREATE TABLE session_files ( -- what file_stats.sessions and .duration count
  session  INTEGER NOT NULL, -- sessions.key
  file     INTEGER NOT NULL, -- file_stats.id
  first    INTEGER NOT NULL, -- time of the first access
  last     INTEGER NOT NULL, -- time of the newest access
  accesses INTEGER NOT NULL, -- how many
  PRIMARY KEY (session, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_files_file ON session_files (file);

CREATE TABLE commits (
  id      INTEGER PRIMARY KEY, -- short name of the commit in this database
  sha     BLOB    NOT NULL,    -- 20 or 32 bytes; not unique: told again with other files it gets another row
  batch   INTEGER NOT NULL,    -- sequence number of the Append that brought it first
  time    INTEGER NOT NULL,    -- committer time
  author  INTEGER,             -- author time, for show; NULL if unknown
  subject TEXT    NOT NULL,    -- first line of the message
  files   BLOB    NOT NULL,    -- its files, deleted files and terms, packed (see pack.go)
  rest    TEXT,                -- JSON object: fields that commits hardly ever have; NULL if none
  counted INTEGER NOT NULL     -- 1: learned from; 0: rewritten or dropped since
) STRICT;
CREATE INDEX commits_sha ON commits (sha);
CREATE INDEX commits_time ON commits (time) WHERE counted = 1;

CREATE TABLE ledger ( -- when commits were counted and uncounted: the part of the log that commits are
  batch     INTEGER NOT NULL, -- sequence number of the Append
  pos       INTEGER NOT NULL, -- place of the first of them among the fresh events of the batch
  commit_id INTEGER NOT NULL, -- commits.id of the first of them
  n         INTEGER NOT NULL, -- so many in a row: pos, pos+1, … are commit_id, commit_id+1, …
  sign      INTEGER NOT NULL, -- +1 counted, -1 uncounted
  event_id  TEXT,             -- id of an uncommit event that is not "uncommit:" and the sha
  PRIMARY KEY (batch, pos)
) STRICT, WITHOUT ROWID;

CREATE TABLE changes ( -- files of counted commits with at most 100 files, as they were called then
  file      INTEGER NOT NULL, -- file_stats.id
  commit_id INTEGER NOT NULL, -- commits.id
  PRIMARY KEY (file, commit_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE renames ( -- commits up to that time that name the old file mean the new one
  was  INTEGER NOT NULL, -- file_stats.id of the old name
  time INTEGER NOT NULL, -- when it was renamed
  became INTEGER NOT NULL, -- file_stats.id of the new name
  PRIMARY KEY (was, time)
) STRICT, WITHOUT ROWID;
CREATE INDEX renames_became ON renames (became);

CREATE TABLE gone ( -- events that were pruned or forgotten: delivered again, they stay away
  id INTEGER PRIMARY KEY -- the first 8 bytes of the SHA-256 of the event's id
) STRICT;

CREATE TABLE cursor ( -- how far the import of the history has come
  ref TEXT PRIMARY KEY, -- name of the ref
  sha TEXT NOT NULL     -- its commit when it was last looked at
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot ( -- the hot store as of meta's snapshot_seq
  key  TEXT PRIMARY KEY, -- the hot store's name of the record
  data BLOB NOT NULL     -- packed by the hot store, opaque here
) STRICT, WITHOUT ROWID;

CREATE TABLE answers ( -- what was answered, so that it can be explained later to the digit
  at   INTEGER PRIMARY KEY, -- when
  json TEXT NOT NULL        -- the answer and its question
) STRICT;

CREATE TABLE meta ( -- small facts: seq, snapshot_seq and what the daemon keeps
  key   TEXT PRIMARY KEY, -- name of the fact
  value TEXT NOT NULL     -- the fact
) STRICT, WITHOUT ROWID;
