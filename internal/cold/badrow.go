package cold

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// ErrRow is wrapped by the error of a row whose values cannot be decoded, in a database that is
// sound for SQLite: a body that ends too early, a sealed text that was changed, an impossible
// value. Such a row is left out: Each and the other readers skip it, and warn once per start. It
// stays in the file.
var ErrRow = errors.New("a row of the store cannot be read")

// rowWarning is the one warning per file and start.
const rowWarning = "rows of the store cannot be read: they are left out, all else is used; " +
	"if you miss something, stop the daemon and put a backup of the file in its place"

// Row is one row that a statement returned.
type Row struct{ rows *sql.Rows }

// Scan copies the columns into dst. A column that does not fit is ErrRow.
func (r Row) Scan(dst ...any) error {
	err := r.rows.Scan(dst...)
	if err == nil || r.rows.Err() != nil { // the second: the query was canceled meanwhile
		return err
	}
	return fmt.Errorf("%w: %w", ErrRow, err)
}

// badRows warns of the rows of one file that could not be read.
type badRows struct {
	path string
	log  *slog.Logger // may be nil
	once sync.Once
}

// skip reports whether err is the error of a damaged row. It logs a warning for the first one.
func (b *badRows) skip(err error) bool {
	if !errors.Is(err, ErrRow) {
		return false
	}
	b.once.Do(func() {
		if b.log != nil {
			b.log.Warn(rowWarning, "file", b.path, "first", err)
		}
	})
	return true
}
