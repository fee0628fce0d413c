-- Schema 3: how much of the event log the sessions contain.

CREATE TABLE position (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  log     TEXT    NOT NULL, -- which log; '': not known
  applied INTEGER NOT NULL  -- the last batch
) STRICT;
INSERT INTO position VALUES (1, '', 0);
