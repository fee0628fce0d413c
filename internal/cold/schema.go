package cold

import (
	"context"
	"errors"
	"fmt"
)

const (
	// applicationID marks the file as aOa's ("aOa1" in ASCII), for file(1) and for us.
	applicationID = 0x614f6131
	// schemaVersion is the version of all schemas in this program. Raise it when you change one.
	schemaVersion = 2
)

// errVersion means that a version of aOa with other schemas made the file.
var errVersion = errors.New("the database is of another version of aOa")

// inspect finds out whose file it is and whether it is intact, and creates the tables of an empty
// one. checked is false if a large file has yet to be checked. If something is wrong with the file
// itself, the error is errVersion, or one that classify takes for ErrDamaged.
func (f *File) inspect(ctx context.Context, schema string, was before, o Options) (checked bool, err error) {
	var id, version, tables, pages int
	err = f.conn.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id),"+
		" (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema),"+
		" (SELECT page_count FROM pragma_page_count)").Scan(&id, &version, &tables, &pages)
	switch {
	case err != nil:
		return false, err
	case id == 0 && version == 0 && tables == 0:
		return true, f.create(ctx, schema)
	case id != applicationID:
		return false, fmt.Errorf("%w: it belongs to another program (application id %#x)", ErrDamaged, id)
	case version != schemaVersion:
		return false, fmt.Errorf("%w: it has schema %d, this program has %d", errVersion, version, schemaVersion)
	case was.damaged: // the indexes are compared with their tables, too
		return true, verdict(ctx, f.conn, "PRAGMA integrity_check(1)")
	case pages <= o.checked:
		return true, verdict(ctx, f.conn, quickCheck)
	}
	return false, nil
}

// create creates the tables.
func (f *File) create(ctx context.Context, schema string) error {
	return f.Write(ctx, "make store", func(*Tx) error {
		_, err := f.conn.ExecContext(background, fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d",
			schema, applicationID, schemaVersion))
		return err
	})
}
