package session

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Statements.
const (
	sqlSaveSummary = `INSERT INTO summaries (session, at, said, done, body) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (session) DO UPDATE SET at = ?2, said = ?3, done = ?4, body = ?5`
	sqlDropOldest = "DELETE FROM summaries WHERE session IN (SELECT session FROM summaries ORDER BY at DESC, session LIMIT -1 OFFSET ?)"
)

// HistoryOptions of NewHistory. DB, Path and Now are needed.
type HistoryOptions struct {
	DB     *cold.DB         // the event log: prompts and actions are read from there
	Path   string           // of the file for what is derived from it; made when the first summary is
	Now    func() time.Time // time of a summary
	Log    *slog.Logger     // told when the file was damaged; may be nil
	Budget func() Budget    // nil: DefaultBudget
	Keep   int              // prompts, and actions, that are always told word by word; 0 is 3

	// Seal closes summaries at rest, and Open opens them; of says what a text belongs to. nil stores them open. What Open
	// refuses is made anew.
	Seal func(of string, text []byte) []byte
	Open func(of string, sealed []byte) ([]byte, error)
	// Embed turns texts into vectors, for the retrieval of similar prompts; nil: by their words alone.
	Embed func(ctx context.Context, texts []string) ([][]float32, error)
}

// History answers what was said and done. It is safe for concurrent use.
type History struct {
	o HistoryOptions

	mu     sync.Mutex  // guards file
	file   *cold.File  // nil: not opened yet
	broken atomic.Bool // damage was met in it: the next opening looks closer

	past past // prompts of all sessions
}

// NewHistory starts nothing and opens nothing.
func NewHistory(o HistoryOptions) *History {
	if o.Budget == nil {
		o.Budget = func() Budget { return DefaultBudget }
	}
	if o.Keep <= 0 {
		o.Keep = keepWhole
	}
	return &History{o: o}
}

// keepWhole is how many of the newest prompts and actions are told word by word.
const keepWhole = 3

// Close closes the file, if it was opened. The history may be used again.
func (h *History) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	err := h.file.Close()
	h.file = nil
	return err
}

// open opens the file. Without make it stays unmade: nil when there is none.
func (h *History) open(ctx context.Context, make bool) (*cold.File, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file != nil && h.broken.Swap(false) {
		_ = h.file.Close() // what it held is derived: there is nothing to rescue
		h.file = nil
	}
	if h.file != nil {
		return h.file, nil
	}
	if _, err := os.Stat(h.o.Path); !make && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var err error
	h.file, err = cold.OpenFile(ctx, h.o.Path, migrations("contexts"), cold.Options{Now: h.o.Now, Log: h.o.Log, Damaged: func() { h.broken.Store(true) }})
	return h.file, err
}

// Forget drops all that was derived from the log: who forgets an event cannot tell which summaries
// speak of it, and each is made anew from what the log still has.
func (h *History) Forget(ctx context.Context) error {
	h.past.clear()
	f, err := h.open(ctx, false)
	if err != nil || f == nil {
		return err
	}
	return f.Write(ctx, "forget summaries", func(tx *cold.Tx) error {
		for _, name := range []string{"DELETE FROM summaries", "DELETE FROM requests", "DELETE FROM transcripts"} {
			if _, err := tx.Exec(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// load reads a session's summary. One that cannot be read is as good as none.
func (h *History) load(ctx context.Context, session string) (digest, bool, error) {
	f, err := h.open(ctx, false)
	if err != nil || f == nil {
		return digest{}, false, err
	}
	var body []byte
	found, err := f.Scan(ctx, "SELECT body FROM summaries WHERE session = ?", []any{session}, &body)
	if err != nil || !found {
		return digest{}, false, err
	}
	if h.o.Open != nil {
		if body, err = h.o.Open(summaryOf(session), body); err != nil {
			if errors.Is(err, cold.ErrRow) {
				_ = f.BadRow(err) // it is made anew
			}
			return digest{}, false, nil
		}
	}
	d, ok := decodeDigest(body)
	return d, ok, nil
}

// summaryOf is what a sealed summary belongs to.
func summaryOf(session string) string { return "summary " + session }

// maxSummaries bounds the sessions that have a summary: those asked about last.
const maxSummaries = 500

func (h *History) save(ctx context.Context, session string, d *digest) error {
	body, err := d.encode()
	if err != nil {
		return err
	}
	if h.o.Seal != nil {
		body = h.o.Seal(summaryOf(session), body)
	}
	f, err := h.open(ctx, true)
	if err != nil {
		return err
	}
	return f.Write(ctx, "save summary", func(tx *cold.Tx) error {
		_, err := tx.Exec(sqlSaveSummary, session, h.o.Now().UnixMilli(), d.Said, d.Done, body)
		if err == nil {
			_, err = tx.Exec(sqlDropOldest, maxSummaries)
		}
		return err
	})
}

// item is a prompt or an action at its place.
type item struct {
	seq    int64
	at     time.Time
	prompt string // "" for an action
	action Action
}

// thread is what a session holds beyond its summary.
type thread struct {
	digest digest
	items  []item // behind the summary's older end, in order
	fresh  bool   // there was no summary that stands
	loose  bool   // events came out of order: nothing is kept
}

// Bounds of a session's log.
const (
	maxThread = 2500             // events that are read, the newest
	disorder  = 10 * time.Minute // events that come later in the log may be so much older; more is another story
)

// thread reads a session: its summary if it stands, and what came since; else all of it.
func (h *History) thread(ctx context.Context, session string, whole bool) (thread, error) {
	if !whole {
		d, ok, err := h.load(ctx, session)
		if err != nil && !errors.Is(err, cold.ErrDamaged) {
			return thread{}, err
		}
		if ok && err == nil {
			events, err := h.o.DB.Thread(ctx, session, d.Done, d.Said, maxThread)
			if err != nil {
				return thread{}, err
			}
			items, tidy := itemsOf(events, d)
			if tidy && len(events) < maxThread {
				return thread{digest: d, items: items}, nil
			}
		}
	}
	events, err := h.o.DB.Thread(ctx, session, 0, 0, maxThread)
	if err != nil {
		return thread{}, err
	}
	t := thread{fresh: true}
	var tidy bool
	if t.items, tidy = itemsOf(events, digest{}); !tidy {
		sortByTime(t.items)
		t.loose = true
	}
	return t, nil
}

// itemsOf reads the events behind a summary. tidy is false when some are much older than others before them.
func itemsOf(events []cold.Numbered, d digest) (items []item, tidy bool) {
	tidy = true
	known, last := max(d.Said, d.Done), d.Last
	for _, e := range events {
		if e.Seq > known {
			tidy = tidy && e.Time.UnixMilli() >= last-disorder.Milliseconds()
			last = max(last, e.Time.UnixMilli())
		}
		if e.Kind == event.KindPrompt {
			if e.Subagent == "" && e.Text != "" {
				items = append(items, item{seq: e.Seq, at: e.Time, prompt: e.Text})
			}
			continue
		}
		if a, ok := action(e); ok {
			items = append(items, item{seq: e.Seq, at: e.Time, action: a})
		}
	}
	return items, tidy
}

// sortByTime brings items into the order in which they happened, and numbers them anew: such numbers are good for
// one context only.
func sortByTime(items []item) {
	slices.SortStableFunc(items, func(a, b item) int { return a.at.Compare(b.at) })
	for i := range items {
		items[i].seq = int64(i + 1)
		items[i].action.Seq = items[i].seq
	}
}
