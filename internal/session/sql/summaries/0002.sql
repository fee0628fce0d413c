-- Schema 2: events are numbered anew (schema 5 of the event log), and summaries say up to which number they tell. Each is
-- made again from the log when its session is next asked about.
DELETE FROM summaries;
