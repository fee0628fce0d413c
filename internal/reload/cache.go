package reload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// Config has the settings that may change while the cache is in use.
type Config struct {
	Off           bool    // record nothing and find nothing
	MinSimilarity float64 // the least similarity of an offer
}

// Limits of the cache, as the specification of system S0 sets them.
const (
	maxIdle    = 24 * time.Hour // an entry that was not used for this long is removed
	maxEntries = 100            // the least recently used are removed first
	maxBytes   = 900_000        // bytes of all stored entries, so that the cache stays below a megabyte
)

// Options are the options of New.
type Options struct {
	Blobs  *cold.Blobs // where the entries are stored
	DB     *cold.DB    // the log
	Now    func() time.Time
	Log    *slog.Logger
	Config func() Config       // called at every use
	Redact func(string) string // removes secrets from a text

	Turns *Turns          // knows which turns have ended
	Place func() Worktree // returns the worktree with whose files entries are compared, to find stale ones
}

// Worktree is where a session works. All worktrees share the entries.
type Worktree struct {
	Root    event.Root
	Files   func() []event.Path   // all files that may be named
	Ignored func(event.Path) bool // reports whether a file must be neither read nor written
	// Hash returns the id of a file's present content, event.NoBlob if there is no file, or "" if the
	// content is not known. It must be of the same kind as the hashes in events.
	Hash func(event.Path) string
	// Blob reads a content from git by its id. It returns nil if git does not have it.
	Blob func(ctx context.Context, id string) []byte
	// Apply runs git apply with these options at the root of the worktree.
	Apply func(ctx context.Context, patch string, options ...string) error
}

// Cache has the recorded sequences. Entries are read into memory at the first use, and written when
// they change. It is safe for concurrent use.
type Cache struct {
	o      Options
	stored *cold.Owner // stores the entries
	inputs *inputs
	undos  *cold.Owner

	making   sync.Mutex      // held while entries are made
	applying sync.Mutex      // held while files are changed
	wake     schedule.Signal // tells Run that there is something to write; Run waits saveAfter for more

	mu       sync.Mutex // guards the following fields
	loaded   bool
	since    time.Time // turns that ended before this are not recorded again
	entries  map[string]*Entry
	requests *index.Requests
}

// New returns a Cache without reading anything.
func New(o Options) *Cache {
	c := &Cache{o: o, wake: schedule.NewSignal()}
	c.clear()
	c.stored = o.Blobs.Owner("sequences", cold.Rule{Count: maxEntries, Bytes: func() int64 { return maxBytes },
		Names: holds, Leave: c.leave})
	c.inputs, c.undos = newInputs(o.Blobs), undos(o.Blobs)
	return c
}

// clear drops the entries in memory. The caller holds mu.
func (c *Cache) clear() {
	c.loaded, c.entries, c.requests = false, map[string]*Entry{}, index.NewRequests()
}

// leave drops everything in memory, because something is about to be forgotten.
func (c *Cache) leave(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.noteForgotten(ctx)
	c.clear()
	return err
}

// metaForgotten is the key in the log's table meta of the time when sequences were forgotten last.
const metaForgotten = "sequences.forgotten"

// noteForgotten records the present time, so that reading the log again does not bring back entries
// that are forgotten now. The caller holds mu.
func (c *Cache) noteForgotten(ctx context.Context) error {
	now := c.o.Now()
	err := c.o.DB.SetMeta(ctx, metaForgotten, strconv.FormatInt(now.UnixMilli(), 10))
	if err == nil {
		c.since = now
	}
	return err
}

// saveAfter is how long new inputs wait before they are written, because more of them may follow.
const saveAfter = 100 * time.Millisecond

// Run makes entries of the turns that have ended, and writes what has changed, until ctx ends.
func (c *Cache) Run(ctx context.Context) error {
	t := time.NewTimer(saveAfter)
	defer t.Stop()
	pending := true
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.wake:
			if !pending {
				t.Reset(saveAfter)
				pending = true
			}
		case <-t.C:
			if pending = c.makeEntries(ctx, false); pending {
				t.Reset(endSlack)
			}
			if err := c.inputs.write(ctx); err != nil && ctx.Err() == nil {
				c.o.Log.Warn("inputs of calls are not written", "err", err)
			}
		}
	}
}

// Close makes entries of all turns that have ended, and writes what still waits.
func (c *Cache) Close(ctx context.Context) error {
	c.makeEntries(ctx, true)
	return c.inputs.write(ctx)
}

// Wake tells Run that events were applied.
func (c *Cache) Wake() {
	if c.o.Turns.any() {
		c.wake.Give()
	}
}

// load reads the entries, once. Entries that cannot be read are left out.
func (c *Cache) load(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded {
		return nil
	}
	since, err := c.o.DB.Meta(ctx, metaForgotten)
	if err != nil {
		return err
	}
	if ms, err := strconv.ParseInt(since, 10, 64); err == nil {
		c.since = time.UnixMilli(ms)
	}
	found, err := c.stored.List(ctx, cold.Selection{LeastUsed: true})
	if err != nil {
		return fmt.Errorf("read the recorded sequences: %w", err)
	}
	for _, v := range found {
		if e := (&Entry{}); codec.Decode(v.Meta, e) == nil && e.ID == v.Key {
			c.add(e)
		}
	}
	c.loaded = true
	return nil
}

// add adds an entry in memory. The caller holds mu.
func (c *Cache) add(e *Entry) {
	if old := c.entries[e.ID]; old != nil {
		c.requests.Remove(old.request)
	}
	e.request = index.NewRequest(e.Text)
	c.entries[e.ID] = e
	c.requests.Add(e.request)
}

// put adds or replaces an entry in memory and on disk. If there are too many, the least recently
// used are deleted. The caller holds mu.
func (c *Cache) put(ctx context.Context, e *Entry) error {
	c.add(e)
	raw, err := codec.Encode(e)
	if err != nil {
		return err
	}
	full, err := c.stored.Put(ctx, cold.Blob{Key: e.ID, Session: e.Session, Used: e.Used, Size: int64(len(raw)), Meta: raw})
	for _, id := range full {
		c.remove(id)
	}
	return err
}

// remove removes an entry from memory. The caller holds mu.
func (c *Cache) remove(id string) {
	if e := c.entries[id]; e != nil {
		c.requests.Remove(e.request)
		delete(c.entries, id)
	}
}

// drop removes entries from memory and from disk. The caller holds mu.
func (c *Cache) drop(ctx context.Context, ids ...string) (err error) {
	for _, id := range ids {
		if _, _, failed := c.stored.Drop(ctx, cold.Selection{Key: id}); failed != nil {
			err = errors.Join(err, failed)
		} else {
			c.remove(id)
		}
	}
	return err
}

// ErrNone means that there is no such entry, ErrNoUndo that there is no such undo record.
var (
	ErrNone   = errors.New("no such sequence")
	ErrNoUndo = errors.New("nothing to undo")
)

// List returns all entries, the most recently used first.
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

// Get returns one entry by its id, or ErrNone.
func (c *Cache) Get(ctx context.Context, id string) (Entry, error) {
	if err := c.load(ctx); err != nil {
		return Entry{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[id]; e != nil {
		return *e, nil
	}
	return Entry{}, fmt.Errorf("%w: %q", ErrNone, id)
}

// ForgetID deletes one entry.
func (c *Cache) ForgetID(ctx context.Context, id string) error {
	if _, err := c.Get(ctx, id); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.noteForgotten(ctx), c.drop(ctx, id))
}

// ForgetAll deletes all entries, and all undo records, because these have contents of files.
func (c *Cache) ForgetAll(ctx context.Context) (int, error) {
	c.making.Lock() // an entry that is just being made would be added afterwards
	defer c.making.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.noteForgotten(ctx)
	n, _, failed := c.stored.Drop(ctx, cold.Selection{All: true})
	c.clear()
	_, _, ofUndos := c.undos.Drop(ctx, cold.Selection{All: true})
	return n, errors.Join(err, failed, ofUndos)
}

// Reasons to delete an entry other than lack of use.
const (
	maxFailureRate = 0.5 // share of failed replays, of at least minTried
	minTried       = 3
)

// Evict deletes entries that were not used for too long, that fail more often than they succeed, of
// which a file is gone, or whose edited files others have changed since. Until the next cleaning,
// the last kind is still offered as a recipe, because what was edited and run is worth telling.
func (c *Cache) Evict(ctx context.Context, w Worktree) {
	if c.load(ctx) != nil {
		return
	}
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.entries))
	c.mu.Unlock()
	stale := map[*Entry]bool{}
	if _, err := os.Stat(string(w.Root)); err == nil { // else all files seem to be gone
		for _, e := range all {
			files := e.compare(w)
			stale[e] = files.gone || files.edited
		}
	}
	now := c.o.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for _, e := range all {
		tried := e.Successes + e.Failures
		failing := tried >= minTried && float64(e.Failures) > maxFailureRate*float64(tried)
		if c.entries[e.ID] == e && (e.idle(now) || failing || stale[e]) {
			ids = append(ids, e.ID)
		}
	}
	if err := c.drop(ctx, ids...); err != nil && ctx.Err() == nil {
		c.o.Log.Warn("dropping old sequences failed", "err", err)
	}
}
