-- Schema 2: a call that arrives twice edits, or puts back, once.
ALTER TABLE undos ADD COLUMN made TEXT NOT NULL DEFAULT '';   -- the call that edited; '' if unknown
ALTER TABLE undos ADD COLUMN unmade TEXT NOT NULL DEFAULT ''; -- the call that puts back
