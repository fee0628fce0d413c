package cold

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
)

// schema is the list of migrations of a file.
type schema struct {
	migrations fs.FS
	// convert does what SQL cannot, after the migration to that version ran; may be nil.
	convert func(tx *Tx, version int) error
}

// version is the number of the last migration.
func (s schema) version() (n int, err error) {
	for {
		if _, err := fs.Stat(s.migrations, migration(n+1)); err != nil {
			break
		}
		n++
	}
	if n == 0 {
		return 0, fmt.Errorf("the schema needs %s", migration(1))
	}
	return n, nil
}

// migration is the name of the file that brings the schema to a version.
func migration(version int) string { return fmt.Sprintf("%04d.sql", version) }

// migrate runs the migrations after a version.
func (s schema) migrate(tx *Tx, from int) error {
	last, err := s.version()
	if err != nil {
		return err
	}
	for v := from + 1; v <= last; v++ {
		text, err := fs.ReadFile(s.migrations, migration(v))
		if err == nil {
			_, err = tx.f.conn.ExecContext(background, string(text)) // many statements, run once
		}
		if err == nil && s.convert != nil {
			err = s.convert(tx, v)
		}
		if err != nil {
			return fmt.Errorf("schema %d: %w", v, err)
		}
	}
	_, err = tx.f.conn.ExecContext(background, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, last))
	return err
}

// columns names the columns of all tables of an empty file with this schema: a file that has others is damaged.
func (s schema) columns(ctx context.Context) (string, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return "", err
	}
	defer db.Close()
	conn, err := db.Conn(ctx) // another connection would have a database of its own
	if err != nil {
		return "", err
	}
	defer conn.Close()
	f := &File{conn: conn, bad: &badRows{}, full: true, stmts: map[string]*sql.Stmt{}}
	if err := f.Write(ctx, "make schema", func(tx *Tx) error { return s.migrate(tx, 0) }); err != nil {
		return "", err
	}
	return columns(ctx, conn)
}

func columns(ctx context.Context, db querier) (string, error) {
	rows, err := db.QueryContext(ctx, "SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c"+
		" WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		all = append(all, name)
	}
	return strings.Join(all, " "), rows.Err()
}
