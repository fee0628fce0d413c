package main

import (
	"database/sql"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

var columns = strings.Join(fields, ", ")

// fts is a table of FTS5 that keeps no texts.
type fts struct{ *sql.DB }

func openFTS(store, _ string, _ []string) engine {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(store,
		"fts.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	check(err)
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
		CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5(` + columns + `, content='', contentless_delete=1)`)
	check(err)
	return fts{db}
}

func (f fts) add(root string, files []string) {
	tx, err := f.Begin()
	check(err)
	for _, one := range files {
		var id int64
		known := tx.QueryRow(`INSERT INTO files (name) VALUES (?) ON CONFLICT DO UPDATE SET name = name RETURNING id`, one)
		check(known.Scan(&id))
		row := []any{id}
		for _, text := range document(root, one) {
			row = append(row, text)
		}
		_, err := tx.Exec(`INSERT OR REPLACE INTO said (rowid, `+columns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, row...)
		check(err)
	}
	check(tx.Commit())
}

// expression asks fields that are asked the same together: that is faster, and one bm25 over these columns.
func expression(asked terms) string {
	var expressions []string
	in := map[string][]string{} // fields
	for field, words := range asked {
		var quoted []string
		for _, c := range words {
			quoted = append(quoted, `"`+strings.ReplaceAll(c.Stem, `"`, "")+`"`)
		}
		either := strings.Join(quoted, " OR ")
		if in[either] == nil && either != "" {
			expressions = append(expressions, either)
		}
		in[either] = append(in[either], fields[field])
	}
	for i, either := range expressions {
		expressions[i] = "{" + strings.Join(in[either], " ") + "} : (" + either + ")"
	}
	return strings.Join(expressions, " OR ")
}

func (f fts) search(asked terms, most int) map[string]float64 {
	either := expression(asked)
	out := map[string]float64{}
	if either == "" {
		return out
	}
	rows, err := f.Query(`SELECT name, bm25(said) AS score FROM said JOIN files ON id = said.rowid
		WHERE said MATCH ? ORDER BY score LIMIT ?`, either, most)
	check(err)
	defer rows.Close()
	for rows.Next() {
		var p string
		var score float64
		check(rows.Scan(&p, &score))
		out[p] = -score // the better, the lower
	}
	check(rows.Err())
	return out
}
