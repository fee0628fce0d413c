package llmcache

import (
	"cmp"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Options of a cache. Blobs and Now are required.
type Options struct {
	Blobs  *cold.Blobs            // where the items are
	Now    func() time.Time       // for everything that is dated
	Redact func(string) string    // takes known forms of secrets out of a text; nil leaves it
	Newest func(string) time.Time // time of a session's newest event in the log, zero if there is none; nil: none
	Quota  int64                  // bytes of a session's items; 0 is Quota

	Left func() map[string]time.Time // when people left sessions for good; Run needs it
	Log  *slog.Logger                // gets a warning when Run fails; Run needs it
}

// Cache holds the items of sessions. It is a consumer of the event log, and safe for concurrent use.
type Cache struct {
	o       Options
	items   *cold.Owner
	applied atomic.Int64  // the last batch of the log
	wake    chan struct{} // a session ended
}

// New opens nothing.
func New(o Options) *Cache {
	o.Quota = cmp.Or(o.Quota, Quota)
	if o.Newest == nil {
		o.Newest = func(string) time.Time { return time.Time{} }
	}
	day := func() time.Duration { return life }
	return &Cache{o: o, wake: make(chan struct{}, 1),
		items: o.Blobs.Owner("items", cold.Rule{Life: day, Quota: o.Quota, Max: MaxItem, Active: o.Newest})}
}
