-- Schema 2: a call that arrives twice counts once.
CREATE TABLE calls (
  id TEXT PRIMARY KEY,   -- made by the caller
  at INTEGER NOT NULL    -- unix ms
) WITHOUT ROWID;
