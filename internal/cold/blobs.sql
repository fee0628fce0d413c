-- What the parts of aOa keep to save time. Times are unix milliseconds, UTC. What is "sealed" is opened by the Seal of
-- the store.

CREATE TABLE blobs (
  id      INTEGER PRIMARY KEY, -- short name of the blob in this file
  owner   TEXT    NOT NULL,    -- the part of aOa that has it
  key     TEXT    NOT NULL,    -- its name among those of the owner
  session TEXT    NOT NULL,    -- the session it is of; '': none
  part    TEXT    NOT NULL,    -- what the owner lists by; '': nothing
  size    INTEGER NOT NULL,    -- bytes as the owner counts them
  created INTEGER NOT NULL,    -- first write
  written INTEGER NOT NULL,    -- last write
  used    INTEGER NOT NULL,    -- last write or read
  active  INTEGER NOT NULL,    -- no longer read
  meta    BLOB    NOT NULL,    -- sealed; small, read by lists
  data    BLOB    NOT NULL     -- sealed; the last column, so that a list does not read it
) STRICT;
CREATE UNIQUE INDEX blobs_key ON blobs (owner, key);
CREATE INDEX blobs_session ON blobs (owner, session, active);
CREATE INDEX blobs_used ON blobs (owner, used);

CREATE TABLE answers ( -- no longer written
  call   TEXT    PRIMARY KEY, -- owner and id of the call
  at     INTEGER NOT NULL,
  answer BLOB    NOT NULL     -- sealed
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_at ON answers (at);
