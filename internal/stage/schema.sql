-- One row per result. The output lies in a file of its own, named after the key.
CREATE TABLE entries (
  key      TEXT PRIMARY KEY,
  stage    TEXT NOT NULL,
  created  INTEGER NOT NULL, -- unix ms
  used     INTEGER NOT NULL, -- unix ms
  hits     INTEGER NOT NULL DEFAULT 0,
  ttl      INTEGER NOT NULL, -- ms, of the run that made it; 0: none
  exit     INTEGER NOT NULL,
  duration INTEGER NOT NULL, -- ms
  bytes    INTEGER NOT NULL, -- of the record
  stdout   INTEGER NOT NULL,
  stderr   INTEGER NOT NULL,
  files    INTEGER NOT NULL,
  command  TEXT NOT NULL,    -- redacted, for people
  model    TEXT NOT NULL,
  sum      BLOB NOT NULL,    -- SHA-256 of the record
  deps     BLOB NOT NULL,    -- patterns and template, to look again
  material BLOB NOT NULL     -- names and digests of all inputs, compressed
);
CREATE INDEX entries_stage ON entries (stage, created);
CREATE INDEX entries_used ON entries (used);

-- What each stage saved, kept when its entries go.
CREATE TABLE saved (
  stage  TEXT PRIMARY KEY,
  hits   INTEGER NOT NULL,
  misses INTEGER NOT NULL,
  ms     INTEGER NOT NULL
) WITHOUT ROWID;

-- Digests of files, valid as long as the file looks like this.
CREATE TABLE digests (
  path  TEXT PRIMARY KEY,
  size  INTEGER NOT NULL,
  mtime INTEGER NOT NULL,
  ctime INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  mode  INTEGER NOT NULL,
  sum   BLOB NOT NULL,
  seen  INTEGER NOT NULL -- unix ms
) WITHOUT ROWID;

-- What the pipelines of a session made, and how far an unfinished one came.
CREATE TABLE outputs (
  session TEXT NOT NULL,
  stage   TEXT NOT NULL,
  prompt  TEXT NOT NULL, -- two pipelines may have a stage of one name and different prompts
  json    INTEGER NOT NULL, -- 1: value is JSON; 0: text
  value   BLOB NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (session, stage, prompt)
) WITHOUT ROWID;
CREATE TABLE contexts (
  session TEXT NOT NULL,
  name    TEXT NOT NULL,
  value   BLOB NOT NULL, -- JSON
  at      INTEGER NOT NULL,
  PRIMARY KEY (session, name)
) WITHOUT ROWID;
CREATE TABLE runs (
  session  TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  state    TEXT NOT NULL, -- running, done, failed
  began    INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  tokens   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session, pipeline)
) WITHOUT ROWID;
CREATE TABLE steps (
  session  TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  stage    TEXT NOT NULL,
  key      TEXT NOT NULL, -- of what it was run with
  PRIMARY KEY (session, pipeline, stage)
) WITHOUT ROWID;
CREATE TABLE loaded (
  session TEXT PRIMARY KEY,
  at      INTEGER NOT NULL, -- unix ms
  data    BLOB NOT NULL     -- parsed definitions
) WITHOUT ROWID;

-- Calls of callers: one that arrives twice counts once.
CREATE TABLE calls (
  id TEXT PRIMARY KEY,   -- made by the caller
  at INTEGER NOT NULL    -- unix ms
) WITHOUT ROWID;
