-- Times are unix milliseconds, UTC. What is "sealed" is opened by the Seal of the store.

CREATE TABLE sessions (
  id       TEXT    PRIMARY KEY, -- the agent's session id
  created  INTEGER NOT NULL,    -- time of its first item
  accessed INTEGER NOT NULL,    -- when its items were last read, written or listed
  ended    INTEGER,             -- when it ended; NULL: it has not, or was resumed since
  items    INTEGER NOT NULL,    -- how many items it has
  used     INTEGER NOT NULL     -- their sizes, summed up: what the quota counts
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
  id          INTEGER PRIMARY KEY,     -- short name of the item in this file
  key         TEXT    NOT NULL UNIQUE, -- {session}_{task}_{turn}, escaped
  session     TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  task        TEXT    NOT NULL,
  description BLOB    NOT NULL,        -- sealed
  size        INTEGER NOT NULL,        -- bytes of data and notes as they were given
  created     INTEGER NOT NULL,        -- first write
  written     INTEGER NOT NULL,        -- last write
  accessed    INTEGER NOT NULL,        -- last write or read
  call        TEXT -- the call that wrote it last, and which of its items it was: a call that arrives twice writes once; NULL: unknown
) STRICT;
CREATE INDEX items_session ON items (session, written);
CREATE INDEX items_written ON items (written);
CREATE UNIQUE INDEX items_call ON items (call) WHERE call IS NOT NULL;

CREATE TABLE contents ( -- apart from items, so that a list does not walk over them
  item  INTEGER PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  json  INTEGER NOT NULL, -- 1: data is JSON
  notes BLOB    NOT NULL, -- sealed; the caller's metadata
  data  BLOB    NOT NULL  -- sealed; the first byte says how it is packed
) STRICT;

CREATE TABLE position ( -- how much of the event log the sessions contain
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  log     TEXT    NOT NULL, -- which log; '': not known
  applied INTEGER NOT NULL  -- the last batch
) STRICT;
INSERT INTO position VALUES (1, '', 0);
