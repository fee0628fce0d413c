package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
)

// house is the rooms, joined. It decides nothing about scores.
type house struct {
	o       Options
	cfg     atomic.Pointer[config.Config]
	db      *cold.DB
	hot     *hot.Store
	learner *learn.Learner
	settle  *prefetch.Prefetcher // the one that observes; each worktree has its own for asking
	journal *journal
	gauges  *gauges
	stop    context.CancelCauseFunc
	stopped chan struct{} // closed when the last snapshot is written

	called  atomic.Int64 // unix ms of the last call
	started time.Time

	mu        sync.Mutex // guards what follows
	worktrees map[aoa.Root]*worktree
	arrivals  chan *worktree // new worktrees, for watchers()
	head      api.Progress   // of the history import
	past      api.ImportAnswer
	snapped   time.Time
	warnings  []string
	whole     bool // the next snapshot is a full one

	look    chan struct{} // "go and look at HEAD"; capacity 1
	imports chan string   // folders of transcripts to import; capacity 1
}

// build opens the rooms bottom up and brings hot to the end of the log: snapshot, then the tail.
func build(ctx context.Context, o Options, cfg config.Config) (*house, error) {
	h := &house{o: o, started: o.Now(), worktrees: map[aoa.Root]*worktree{}, arrivals: make(chan *worktree, 16),
		look: make(chan struct{}, 1), imports: make(chan string, 1), stopped: make(chan struct{}),
		head: api.Progress{State: "idle"}, past: api.ImportAnswer{Transcripts: api.Progress{State: "idle"}}}
	h.cfg.Store(&cfg)
	h.called.Store(o.Now().UnixMilli())
	var err error
	h.db, err = cold.Open(ctx, filepath.Join(o.Place.Store, "aoa.db"), cold.Options{Now: o.Now, Log: slog.New(&echo{o.Log.Handler(), h.warn})})
	if err != nil {
		return nil, err
	}
	h.hot, err = hot.Open(ctx, hot.Options{URL: cfg.RedisURL, Repo: repoID(o, cfg), Writer: o.Place.Store, Now: o.Now, Half: cfg.HalfLives})
	if err != nil {
		return nil, errors.Join(err, h.db.Close())
	}
	h.gauges = newGauges()
	w := h.worktree(ctx, o.Repo)
	h.settle = w.prefetch
	h.learner = learn.New(h.hot, learn.Options{Fold: h.settle.Fold})
	h.journal = newJournal(h.db, o.Now, o.Log)
	h.journal.learn, h.journal.cause = h.learnBatch, h.settle.MarkCause
	if err := h.restore(ctx); err != nil {
		return nil, errors.Join(err, h.close())
	}
	signal(h.look)
	return h, nil
}

func (h *house) close() error { return errors.Join(h.hot.Close(), h.db.Close()) }

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

// restore brings hot to the end of the log. A server that kept its state is only given the tail.
func (h *house) restore(ctx context.Context) error {
	begin := h.o.Now()
	seq, err := h.hot.Applied(ctx)
	if err != nil {
		return fmt.Errorf("read hot store: %w", err)
	}
	var records int
	if seq == 0 {
		seq, err = h.db.LoadSnapshot(ctx, func(recs []cold.Record) error {
			packed := make([]hot.Record, len(recs))
			for i, r := range recs {
				packed[i] = hot.Record{Key: r.Key, Data: r.Data}
			}
			records += len(recs)
			return h.hot.Restore(ctx, packed)
		})
		if err != nil {
			return fmt.Errorf("load snapshot: %w", err)
		}
	}
	var tail int
	last := seq
	err = h.db.Replay(ctx, seq, func(seq int64, batch []aoa.Event) error {
		tail += len(batch)
		last = seq
		return h.learner.Learn(ctx, batch, seq)
	})
	if err != nil {
		return fmt.Errorf("replay log: %w", err)
	}
	h.journal.Stand(last)
	h.o.Log.Info("restored", "records", records, "replayed", tail, "seq", last, "took", h.o.Now().Sub(begin))
	return nil
}

// learnBatch is one step of the journal: learn, then settle the predictions that this decides.
func (h *house) learnBatch(ctx context.Context, events []aoa.Event, seq int64) error {
	begin := h.o.Now()
	if err := h.learner.Learn(ctx, events, seq); err != nil {
		return err
	}
	h.gauges.learned(len(events), h.o.Now().Sub(begin))
	outcomes, err := h.settle.Observe(ctx, events)
	if err != nil {
		return fmt.Errorf("settle predictions: %w", err)
	}
	for _, e := range outcomes {
		h.gauges.outcome(e)
	}
	h.journal.Add(outcomes...)
	return nil
}

// snapshot writes what changed since the last one, and which batch it includes.
func (h *house) snapshot(ctx context.Context) error {
	var recs []cold.Record
	var at int64
	h.mu.Lock()
	whole := h.whole
	h.mu.Unlock()
	err := h.journal.Learned(func(seq int64) error {
		packed, err := h.hot.Dirty(ctx, whole)
		at = seq
		recs = make([]cold.Record, len(packed))
		for i, r := range packed {
			recs[i] = cold.Record{Key: r.Key, Data: r.Data}
		}
		return err
	})
	if err == nil && (len(recs) > 0 || whole) {
		err = h.db.SaveSnapshot(ctx, at, recs, whole)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// A snapshot that failed has consumed the dirty set: the next one takes everything.
	if h.whole = err != nil; err == nil {
		h.snapped = h.o.Now()
	}
	return err
}

func (h *house) warn(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.warnings) < 20 {
		h.warnings = append(h.warnings, text)
	}
}

func (h *house) paused() bool { return h.o.Now().Before(h.config().PausedUntil) }

// echo passes log records on and keeps the warnings for aoa status.
type echo struct {
	slog.Handler
	warn func(string)
}

func (e *echo) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
		e.warn(text)
	}
	return e.Handler.Handle(ctx, r)
}
