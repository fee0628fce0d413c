-- Schema 1. Every later change is a further file; a file that was released is never edited.
-- Prompts and actions are not here: the event log has them, once. Times are unix milliseconds, UTC.

CREATE TABLE summaries ( -- what lies before the part of a session that is told word by word
  session TEXT PRIMARY KEY, -- the agent's session id
  at      INTEGER NOT NULL, -- when it was made
  said    INTEGER NOT NULL, -- number in the log of the last prompt in it
  done    INTEGER NOT NULL, -- number in the log of the last action in it
  body    BLOB    NOT NULL  -- JSON, sealed if the store seals
) STRICT;
CREATE INDEX summaries_at ON summaries (at);

CREATE TABLE requests ( -- requests to a model, as transcripts tell them
  id         TEXT PRIMARY KEY, -- the maker's id of the answer: a transcript repeats it on several lines
  session    TEXT    NOT NULL, -- the agent's session id
  side       INTEGER NOT NULL, -- 1: made by a subagent, whose conversation is another
  at         INTEGER NOT NULL, -- when the answer came
  model      TEXT    NOT NULL,
  input      INTEGER NOT NULL, -- tokens read anew
  cache_read INTEGER NOT NULL, -- tokens taken from the cache
  cache_write INTEGER NOT NULL, -- tokens read anew and kept in it
  output     INTEGER NOT NULL  -- tokens written
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_session ON requests (session, at);

CREATE TABLE transcripts ( -- how far files were read
  file TEXT PRIMARY KEY, -- absolute name
  done INTEGER NOT NULL  -- bytes
) STRICT, WITHOUT ROWID;
