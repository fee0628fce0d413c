-- Schema 2: texts are sealed (see seal.go). Rows of before keep theirs in rest.
ALTER TABLE intent_log ADD COLUMN sealed BLOB; -- the event's text; NULL: it has none, or it is in rest
