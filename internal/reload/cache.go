package reload

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Config is what may be set while the cache is in use.
type Config struct {
	Off           bool          // nothing is recorded, nothing found
	MaxIdle       time.Duration // since an entry was used last; 0 is MaxIdle
	MinSimilarity float64       // of an offer; 0 is 0.7
}

// Bounds of what is kept, as S0 has them.
const (
	MaxIdle    = 24 * time.Hour // an entry is removed after this time without use
	maxEntries = 100            // the least recently used are removed first
)

func (c Config) withDefaults() Config {
	c.MaxIdle = cmp.Or(c.MaxIdle, MaxIdle)
	c.MinSimilarity = cmp.Or(c.MinSimilarity, 0.7)
	return c
}

// Options of a Cache. Blobs, DB, Now, Text and EndsTurns are needed.
type Options struct {
	Blobs  *cold.Blobs // where the entries are
	DB     *cold.DB    // where the undo records are
	Now    func() time.Time
	Log    *slog.Logger
	Config func() Config       // asked at every use; nil: the defaults
	Redact func(string) string // takes secrets out of a text; nil takes none

	Text      func(ctx context.Context, id string) (string, error) // of an event
	EndsTurns func(agent string) bool                              // whether an agent says that a turn has ended
	Place     func() Worktree                                      // whose files say which entries are stale; nil: nothing does
}

func (o Options) place() Worktree {
	if o.Place == nil {
		return Worktree{}
	}
	return o.Place()
}

func (o Options) config() Config {
	if o.Config == nil {
		return Config{}.withDefaults()
	}
	return o.Config().withDefaults()
}

// Worktree is where a session works. Entries are shared by all worktrees.
type Worktree struct {
	Root    event.Root
	Files   func() []event.Path              // all files that may be named
	Ignored func(event.Path) bool            // files that are neither read nor written
	State   func(context.Context) (s string) // hash of HEAD, branch and changed files, "" if unknown
}

func (w Worktree) ignored(p event.Path) bool { return w.Ignored != nil && w.Ignored(p) }

// Cache holds the sequences. It is safe for concurrent use.
type Cache struct {
	o      Options
	hashes hashes

	stored  *cold.Owner // the entries
	counted *cold.Owner // the counts
	places  *cold.Owner // what was folded
	inputs  *inputs

	log      string // whose batches are folded
	position cold.Position
	folded   turns
	making   sync.Mutex // held while entries are made of what was folded

	// guards offered; Apply must not wait for mu, which is held while the file is opened
	offering sync.Mutex
	offered  map[string]map[string]bool // session → ids of the entries that it was offered
	open     []offer                    // those that were shown and may still be accepted

	mu      sync.Mutex // guards what follows
	loaded  bool
	entries map[string]*Entry
	index   *entryIndex
	last    map[string]string // session → its newest entry
	counts  map[string]int64
	dirty   map[string]bool // ids to be written, or dropped if there is no such entry
	tallied bool            // counts are to be written
	wake    chan struct{}

	applying sync.Mutex // held while files are changed
}

// The counts.
const (
	countLookups  = "lookups"
	countHits     = "hits"
	countRecorded = "recorded"
	countReplays  = "replays"
	countDiverged = "diverged"
	countOffered  = "offered"
	countAccepted = "accepted"
	countEvicted  = "evicted" // and behind a colon: why
)

// New opens nothing.
func New(o Options) *Cache {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Cache{o: o, entries: map[string]*Entry{}, index: newEntryIndex(), last: map[string]string{},
		counts: map[string]int64{}, dirty: map[string]bool{}, wake: make(chan struct{}, 1), hashes: hashes{now: o.Now}}
	c.stored = o.Blobs.Owner("sequences", cold.Rule{Count: maxEntries, Bytes: func() int64 { return maxBytes },
		Names: holds, Leave: c.leave})
	c.counted = o.Blobs.Owner("sequence counts", cold.Rule{})
	c.places = o.Blobs.Owner("turns", cold.Rule{Derived: true})
	c.inputs = newInputs(o.Blobs)
	c.folded = turns{endsTurns: o.EndsTurns, Now: map[string]*turn{}}
	return c
}

// saveAfter is how long what changed waits for more before it is written.
const saveAfter = 100 * time.Millisecond

// Run makes entries of the turns that are over, and writes what changed, until ctx ends; then the rest.
func (c *Cache) Run(ctx context.Context) error {
	t := time.NewTimer(saveAfter)
	defer t.Stop()
	pending := true
	for {
		select {
		case <-ctx.Done():
			return c.write(context.WithoutCancel(ctx))
		case <-c.wake:
			if !pending {
				t.Reset(saveAfter)
				pending = true
			}
		case <-t.C:
			if pending = c.makeEntries(ctx, false); pending {
				t.Reset(endSlack)
			}
			if err := c.write(ctx); err != nil && ctx.Err() == nil {
				c.o.Log.Warn("sequences not written", "err", err)
			}
		}
	}
}

// Close makes entries of all turns that have ended, and writes what waits.
func (c *Cache) Close(ctx context.Context) error {
	c.makeEntries(ctx, true)
	return c.write(ctx)
}

// changed marks an entry to be written; mu is held.
func (c *Cache) changed(id string) {
	c.dirty[id] = true
	c.signal()
}

// signal makes Run write, saveAfter from now.
func (c *Cache) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// count adds one to a count; mu is held.
func (c *Cache) count(name string) { c.add(name, 1) }

func (c *Cache) add(name string, n int64) {
	c.counts[name] += n
	c.tallied = true
}

// List returns all entries, used last first.
func (c *Cache) List(ctx context.Context) ([]Entry, error) {
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Entry, 0, len(c.entries))
	for e := range maps.Values(c.entries) {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

// Get returns one entry by its id or an unambiguous beginning of it; ErrNone if there is none.
func (c *Cache) Get(ctx context.Context, id string) (Entry, error) {
	if err := c.load(ctx); err != nil {
		return Entry{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, err := c.find(id)
	if err != nil {
		return Entry{}, err
	}
	return *e, nil
}

// find is Get with mu held.
func (c *Cache) find(id string) (*Entry, error) {
	if e, ok := c.entries[id]; ok {
		return e, nil
	}
	var found *Entry
	for k, e := range c.entries {
		if len(id) >= 4 && (strings.HasPrefix(k, id) || strings.HasPrefix(k, "cache-"+id)) {
			if found != nil {
				return nil, fmt.Errorf("%w: %q begins the ids of several", ErrNone, id)
			}
			found = e
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%w: %q", ErrNone, id)
	}
	return found, nil
}
