-- Schema 6: the tables of before schema 5 go.
DROP TABLE intent_log;
DROP TABLE commits;
DROP TABLE ledger;
DROP TABLE changes;
DROP TABLE gone;
DROP TABLE sessions;
DROP TABLE session_files;
DROP TABLE tag_files;
CREATE INDEX events_time ON events (time) WHERE counted IS NULL;
CREATE INDEX events_counted ON events (counted, time) WHERE counted IS NOT NULL;
CREATE INDEX events_session ON events (session, time, kind) WHERE session <> '';
CREATE INDEX events_prompt ON events (kind) WHERE kind = 'prompt';
