-- Summaries of sessions. Prompts and actions are not here: the event log has them, once. Times are unix milliseconds, UTC.

CREATE TABLE summaries ( -- what lies before the part of a session that is told word by word
  session TEXT PRIMARY KEY, -- the agent's session id
  at      INTEGER NOT NULL, -- when it was made
  said    INTEGER NOT NULL, -- number in the log of the last prompt in it
  done    INTEGER NOT NULL, -- number in the log of the last action in it
  body    BLOB    NOT NULL  -- JSON, sealed if the store seals
) STRICT;
CREATE INDEX summaries_at ON summaries (at);
