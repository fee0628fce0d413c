-- Schema 3: every access of a file moved its row in this index, which only aoa stats asked; the table is read in its place.
DROP INDEX file_accesses;
