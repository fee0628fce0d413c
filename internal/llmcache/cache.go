package llmcache

import (
	"cmp"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Options are the settings of a Cache. Blobs and Now are required.
type Options struct {
	Blobs *cold.Blobs      // the store of the items
	Now   func() time.Time // the clock
	// returns the time of the newest event of a session in the log, zero if none exists; may be
	// nil
	Redact func(string) string
	// returns the time of a session's newest event in the log, zero if none exists; may be nil
	Newest func(string) time.Time
	Quota  int64 // bytes of a session's items; 0 means Quota
}

// Cache holds the items of sessions. It is safe for concurrent use.
type Cache struct {
	o     Options
	items *cold.Owner

	mu   sync.Mutex           // guards left
	left map[string]time.Time // the argument of the last call of Leave
}

// New returns a Cache. It opens nothing.
func New(o Options) *Cache {
	o.Quota = cmp.Or(o.Quota, Quota)
	if o.Newest == nil {
		o.Newest = func(string) time.Time { return time.Time{} }
	}
	return &Cache{o: o,
		items: o.Blobs.Owner("items", cold.Rule{Unused: life, Quota: o.Quota, Max: MaxItem, Active: o.Newest})}
}
