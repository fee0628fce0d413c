package cold

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"
)

// ErrRow is wrapped by the error of a row whose values cannot be decoded, in a database that is sound for SQLite:
// broken JSON, a packed column that ends too early, a sealed text that was changed, an impossible value. Such a row
// is left out: Each and the other readers skip it, count it, and warn once per start. It stays in the file.
var ErrRow = errors.New("a row of the store cannot be read")

// rowWarning is the one warning per file and start. The count in it is the current one when aoa status shows it.
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

// badRows counts the rows of one file that could not be read. A lazyFile shares one between the openings of its file.
type badRows struct {
	path string
	log  *slog.Logger // may be nil

	mu     sync.Mutex      // guards what follows
	seen   map[string]bool // errors, each of which names its row: a row that is read again counts once
	warned bool
}

// maxBadRows bounds the memory of badRows.
const maxBadRows = 10_000

// skip reports whether err is that of a bad row, and counts the row.
func (b *badRows) skip(err error) bool {
	if !errors.Is(err, ErrRow) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	if len(b.seen) < maxBadRows {
		b.seen[err.Error()] = true
	}
	return true
}

// warn says once that rows were left out. It is called at the end of a reading, when they are counted.
func (b *badRows) warn() {
	b.mu.Lock()
	now := len(b.seen) > 0 && !b.warned && b.log != nil
	b.warned = b.warned || now
	b.mu.Unlock()
	if now {
		b.log.Warn(rowWarning, "file", b.path, "rows", b)
	}
}

// String is the current count, also in a warning that was given earlier.
func (b *badRows) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strconv.Itoa(len(b.seen))
}

// LogValue is the count for handlers that take no text.
func (b *badRows) LogValue() slog.Value { return slog.StringValue(b.String()) }

// BadRow counts a row that was read by Scan and cannot be decoded. The error it returns wraps ErrRow and err.
func (f *File) BadRow(err error) error {
	if !errors.Is(err, ErrRow) {
		err = fmt.Errorf("%w: %w", ErrRow, err)
	}
	f.bad.skip(err)
	f.bad.warn()
	return err
}

// possible reports whether a stored time (unix milliseconds) can be written as JSON: years 0 to 9999.
func possible(ms int64) bool {
	year := time.UnixMilli(ms).UTC().Year()
	return year >= 0 && year <= 9999
}
