-- Schema 2: a call that arrives twice sets its items aside once.
ALTER TABLE items ADD COLUMN call TEXT; -- the call that wrote it last, and which of its items it was; NULL: unknown
CREATE UNIQUE INDEX items_call ON items (call) WHERE call IS NOT NULL;
