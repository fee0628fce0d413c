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
// one. If something is wrong with the file itself, the error is ErrDamaged or errVersion.
func (f *File) inspect(ctx context.Context) error {
	var id, version, tables int
	err := f.conn.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id),"+
		" (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&id, &version, &tables)
	switch {
	case err != nil:
		return damaged(err)
	case id == 0 && version == 0 && tables == 0:
		return f.create(ctx)
	case id != applicationID:
		return fmt.Errorf("%w: it belongs to another program (application id %#x)", ErrDamaged, id)
	case version != schemaVersion:
		return fmt.Errorf("%w: it has schema %d, this program has %d", errVersion, version, schemaVersion)
	}
	return f.check(ctx)
}

// create creates the tables.
func (f *File) create(ctx context.Context) error {
	return f.Write(ctx, "make store", func(*Tx) error {
		_, err := f.conn.ExecContext(background, fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d",
			f.schema, applicationID, schemaVersion))
		return err
	})
}
