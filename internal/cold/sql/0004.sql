-- Schema 4: a full snapshot is a few blocks of many records; the rows of snapshot are what has changed since.
CREATE TABLE snapshot_block (
  first TEXT PRIMARY KEY, -- key of the first record; blocks do not overlap
  data  BLOB NOT NULL     -- records in order of their keys, see block.go
) STRICT;
