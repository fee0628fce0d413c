package daemon

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/prefetch/history"
	"github.com/aoa-dev/aoa/prefetch/reload"
)

// house is the rooms, joined. It decides nothing about scores.
type house struct {
	o       Options
	loud    *slog.Logger // the log, whose warnings aoa status shows as long as the daemon lives
	cfg     atomic.Pointer[config.Config]
	seal    *cold.Seal // of texts; rooms get it as Seal and Open
	db      *cold.DB
	hot     *hot.Store
	learner *learn.Learner
	settle  *prefetch.Prefetcher // the one that observes; each worktree has its own for asking
	journal *journal
	steps   *steps
	gauges  *gauges
	stages  *stages
	shelf   *shelf
	desk    *desk
	answers *answers
	memory  *history.History // what was said and done
	share   *sharing
	stop    context.CancelCauseFunc

	saving  sync.Mutex   // held while a snapshot is taken
	erasing sync.Mutex   // held while something is forgotten
	void    atomic.Bool  // hot holds what was forgotten: no snapshot of it is kept
	called  atomic.Int64 // unix ms of the last call
	started time.Time    // by the wall clock
	born    time.Time    // the same moment, by the process's own clock

	leapt   atomic.Bool  // it was said that the clock leapt
	doubted atomic.Int64 // ns by which the clock leapt before this daemon began, 0 when it is believed

	tail int // events that the start had to replay

	whereabouts whereabouts // of the sessions

	firstThreshold float64 // that held when the log began

	sequences *reload.Cache

	mu        sync.Mutex // guards what follows
	worktrees map[event.Root]*worktree
	places    map[string]*worktree // folder of a caller → its checkout; a cache
	arrivals  chan *worktree       // new worktrees, for watchers()
	head      api.Progress         // of the history import
	past      api.ImportAnswer
	snapped   time.Time
	warnings  []warning
	unsaved   error // why the last snapshot could not be written
	unerased  error // why something that was to be forgotten is not gone yet
	whole     bool  // the next snapshot is a full one
	loose     int   // records that were saved since the last full one

	waiting waiting
	pace    pace

	look    chan struct{} // "go and look at HEAD"; capacity 1
	imports chan string   // folders of transcripts to import; capacity 1
}

// build opens the rooms bottom up and brings hot to the end of the log: snapshot, then the tail.
func build(ctx context.Context, o Options, cfg config.Config) (*house, error) {
	h := newHouse(o, cfg)
	err := h.open(ctx)
	if errors.Is(err, cold.ErrDamaged) {
		// Reading met damage that opening had not looked for; cold has left itself a note, and now looks closely. Nothing
		// of the first attempt is used again, since its parts hold stores that are closed, but for what it warned of.
		first := h
		h = newHouse(o, cfg)
		h.warnings = first.warnings
		err = h.open(ctx)
	}
	if err == nil {
		_, err = h.countDay(ctx, true)
	}
	if err != nil {
		return nil, err
	}
	signal(h.look)
	return h, nil
}

// newHouse opens nothing.
func newHouse(o Options, cfg config.Config) *house {
	h := &house{o: o, started: o.Now().Round(0), born: time.Now(), worktrees: map[event.Root]*worktree{}, places: map[string]*worktree{},
		look: make(chan struct{}, 1), imports: make(chan string, 1),
		head: api.Progress{State: "idle"}, past: api.ImportAnswer{Transcripts: api.Progress{State: "idle"}}}
	h.loud = slog.New(&echo{o.Log.Handler(), h.warn})
	h.cfg.Store(&cfg)
	h.called.Store(o.Now().UnixMilli())
	h.gauges, h.stages = newGauges(), h.newStages()
	h.pace.load(paceFile(o.Place.Store))
	return h
}

// harmed ends the daemon when the open store meets damage: the next one begins with a close look.
func (h *house) harmed() {
	if h.stop != nil {
		h.stop(cold.ErrDamaged)
	}
}

func (h *house) database() string { return filepath.Join(h.o.Place.Store, "aoa.db") }

// expected reports whether an earlier daemon has been here: it leaves its keys and the files of its stores. It is asked
// before any of these is made.
func (h *house) expected() bool {
	for _, pattern := range []string{"*.db", "keys/*", filepath.Base(paceFile(""))} {
		if found, _ := fs.Glob(os.DirFS(h.o.Place.Store), pattern); len(found) > 0 {
			return true
		}
	}
	return false
}

// open opens the stores, joins the rooms that stand on them, and brings hot to the end of the log.
func (h *house) open(ctx context.Context) (err error) {
	home, listed := &worktree{repo: h.o.Repo, reader: index.NewReader(h.o.Repo.Root)}, make(chan struct{})
	go func() { // while the stores are opened and the snapshot is read
		defer close(listed)
		home.first(ctx, h)
	}()
	defer func() { <-listed }()
	expected := h.expected()
	if h.seal, err = h.unseal(); err != nil {
		return err
	}
	h.db, err = cold.Open(ctx, h.database(), cold.Options{Now: h.o.Now, Log: h.loud, Damaged: h.harmed, Seal: h.seal, Expected: expected,
		Full: h.config().Durability == "full"})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	// Most of what is allocated now stays: a collector that keeps the heap small would look at all of it in vain.
	defer debug.SetGCPercent(debug.SetGCPercent(startPercent))
	h.eraseLog(ctx)
	if h.firstThreshold, err = h.oldestThreshold(ctx); err != nil {
		return err
	}
	seq, err := h.warm(ctx)
	<-listed
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	h.furnish(ctx, home)
	h.eraseStores(ctx)
	return h.replay(ctx, seq)
}

// startPercent is the collector's until the daemon listens, instead of 100.
const startPercent = 400

// furnish joins the rooms that stand on the stores.
func (h *house) furnish(ctx context.Context, home *worktree) {
	h.answers, h.shelf = newAnswers(h.db, h.o.Log), h.newShelf()
	h.desk = h.newDesk()
	h.memory = h.newMemory()
	h.sequences = h.newSequences()
	h.arrivals = make(chan *worktree, maxWorktrees)
	w := h.enter(home)
	h.settle = w.prefetch
	h.learner = learn.New(h.hot, learn.Options{Fold: h.settle.Fold})
	h.share = newSharing(h, h.config().RedisURL)
	h.steps = newSteps(h.learnBatch, h.o.Log)
	h.journal = newJournal(h.db, h.steps, h.o.Now, h.o.Log)
	h.journal.cause = h.settle.MarkCause
}

func (h *house) close() error {
	var err error
	if h.hot != nil {
		err = h.hot.Close()
		h.hot = nil
	}
	if h.replaced() {
		return errors.Join(err, h.db.Close()) // the other stores would write their last state into the new folder
	}
	if h.memory != nil {
		err = errors.Join(err, h.memory.Close())
	}
	for _, r := range h.rooms() {
		err = errors.Join(err, r.Close())
	}
	return errors.Join(err, h.stages.cache.Close(), h.db.Close())
}

func (h *house) config() *config.Config { return h.cfg.Load() }

// repoID is the hash tag of the keys: two clones of one repository share it on a shared server.
func repoID(o Options, cfg config.Config) string {
	switch {
	case cfg.RepoID != "":
		return cfg.RepoID
	case o.Repo.Origin != "":
		return api.Fingerprint(o.Repo.Origin)
	}
	return api.Fingerprint(o.Repo.CommonDir)
}

// learnBatch is one step of the journal: learn, then settle the predictions that this decides.
func (h *house) learnBatch(ctx context.Context, events []event.Event, seq int64) error {
	begin := h.o.Now()
	if err := h.learner.Learn(ctx, events, seq); err != nil {
		return err
	}
	signal(h.share.wake)
	h.gauges.learned(len(events), h.o.Now().Sub(begin))
	h.shelf.borders(ctx, events)
	h.desk.observe(ctx, events)
	outcomes, err := h.settle.Observe(ctx, events)
	if err != nil {
		// The next event of the session asks again: no reason to count the batch as lost.
		h.o.Log.Warn("predictions not settled", "err", err)
		return nil
	}
	for _, e := range outcomes {
		h.gauges.outcome(e)
	}
	h.journal.Add(outcomes...)
	return nil
}

// maxWarnings bounds what aoa status shows.
const maxWarnings = 20

// warning is a record of the log. Its text may change while the daemon lives: a count in it goes on counting.
type warning struct {
	first string
	slog.Record
}

func newWarning(r slog.Record) warning {
	w := warning{Record: r}
	w.first = w.text()
	return w
}

func (w warning) text() string {
	text := w.Message
	w.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	return text
}

func (h *house) warn(w warning) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.warnings) < maxWarnings && !slices.ContainsFunc(h.warnings, func(o warning) bool { return o.first == w.first }) {
		h.warnings = append(h.warnings, w)
	}
}

func (h *house) paused() bool { return h.o.Now().Before(h.config().PausedUntil) }

// echo passes log records on and keeps the warnings for aoa status.
type echo struct {
	slog.Handler
	warn func(warning)
}

func (e *echo) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		e.warn(newWarning(r.Clone()))
	}
	return e.Handler.Handle(ctx, r)
}
