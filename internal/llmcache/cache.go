package llmcache

import (
	"context"
	_ "embed"
	"log/slog"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

//go:embed schema.sql
var schema string

// Options of a cache. Path and Now are required.
type Options struct {
	Path   string                 // of the SQLite file
	Now    func() time.Time       // for everything that is dated
	Seal   *cold.Seal             // seals what is on disk; nil stores it open
	Redact func(string) string    // takes known forms of secrets out of a text; nil leaves it
	Newest func(string) time.Time // time of a session's newest event in the log, zero if there is none; nil: none
	Log    *slog.Logger           // gets one warning when a damaged file was moved aside; may be nil
	Quota  int64                  // bytes of a session's items; 0 is Quota
}

// Cache holds the items of sessions. It is a consumer of the event log, and safe for concurrent use.
type Cache struct {
	o        Options
	file     *cold.Lazy
	position cold.Position
}

// New opens nothing: the file is made at the first write.
func New(o Options) *Cache {
	if o.Quota == 0 {
		o.Quota = Quota
	}
	if o.Newest == nil {
		o.Newest = func(string) time.Time { return time.Time{} }
	}
	return &Cache{o: o, file: cold.NewLazy(o.Path, schema, cold.Options{Now: o.Now, Log: o.Log})}
}

// CloseIdle closes the file when it was not used since the last CloseIdle.
func (c *Cache) CloseIdle() error { return c.file.CloseIdle() }

// Close closes the file.
func (c *Cache) Close() error { return c.file.Close() }

// useExisting calls fn with the open file; it does nothing where there is none. Its errors are of type *Error.
func (c *Cache) useExisting(ctx context.Context, fn func(f *cold.File) error) error {
	return storage(c.file.UseExisting(ctx, fn))
}
