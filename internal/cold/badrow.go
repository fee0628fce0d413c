package cold

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// ErrRow is wrapped by the error about a row whose values cannot be decoded although SQLite finds
// the database intact: a body that ends too early, a sealed text that was changed, or an impossible
// value. Each and the other readers skip such a row, and warn once per start. The row stays in the
// file.
var ErrRow = errors.New("a row of the store cannot be read")

// rowWarning is the warning about bad rows. It is logged once per file and start.
const rowWarning = "rows of the store cannot be read: they are left out, all else is used; " +
	"if you miss something, stop the daemon and put a backup of the file in its place"

// Row is one row of a result.
type Row struct{ rows *sql.Rows }

// Scan copies the columns into dst. If a column does not fit, the error is ErrRow.
func (r Row) Scan(dst ...any) error {
	err := r.rows.Scan(dst...)
	if err == nil || r.rows.Err() != nil { // rows.Err is set if the query was canceled meanwhile
		return err
	}
	return fmt.Errorf("%w: %w", ErrRow, err)
}

// badRows warns about rows of one file that could not be read.
type badRows struct {
	path string
	log  *slog.Logger // may be nil
	once sync.Once
}

// skip reports whether err is about a damaged row. It logs a warning for the first such row.
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
