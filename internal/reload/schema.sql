-- Times are unix milliseconds, UTC.

CREATE TABLE sequences (
	id        TEXT PRIMARY KEY,
	used      INTEGER NOT NULL, -- time of the last use
	uses      INTEGER NOT NULL,
	successes INTEGER NOT NULL,
	failures  INTEGER NOT NULL,
	data      BLOB NOT NULL     -- packed and sealed
) STRICT;

CREATE TABLE offers (
	id         INTEGER PRIMARY KEY,
	at         INTEGER NOT NULL,
	session    TEXT NOT NULL,
	sequence   TEXT NOT NULL,
	similarity REAL NOT NULL,
	accepted   INTEGER NOT NULL DEFAULT 0 -- when; 0 if it was not
) STRICT;
CREATE INDEX offers_by_sequence ON offers (sequence, id);

CREATE TABLE undos (
	id       TEXT PRIMARY KEY,
	at       INTEGER NOT NULL,
	sequence TEXT NOT NULL,
	done     INTEGER NOT NULL DEFAULT 0,
	data     BLOB NOT NULL,            -- packed and sealed
	made     TEXT NOT NULL DEFAULT '', -- the call that edited: one that arrives twice edits once; '' if unknown
	unmade   TEXT NOT NULL DEFAULT ''  -- the call that puts back
) STRICT;

CREATE TABLE counts (
	name  TEXT PRIMARY KEY,
	value INTEGER NOT NULL
) STRICT;
