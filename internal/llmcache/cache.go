package llmcache

import (
	"cmp"
	"sync"
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
}

// Cache holds the items of sessions. It is safe for concurrent use.
type Cache struct {
	o     Options
	items *cold.Owner

	mu   sync.Mutex           // guards what follows
	left map[string]time.Time // what was given to Leave last
}

// New opens nothing.
func New(o Options) *Cache {
	o.Quota = cmp.Or(o.Quota, Quota)
	if o.Newest == nil {
		o.Newest = func(string) time.Time { return time.Time{} }
	}
	day := func() time.Duration { return life }
	return &Cache{o: o,
		items: o.Blobs.Owner("items", cold.Rule{Unused: day, Quota: o.Quota, Max: MaxItem, Active: o.Newest})}
}
