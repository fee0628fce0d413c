package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Options of New. All but Log are needed.
type Options struct {
	Blobs *cold.Blobs // where results and states of pipelines are
	Now   func() time.Time
	Log   *slog.Logger
	Bytes func() int64 // that all records may take: those used least recently are dropped
}

// resultKeep is how long a result stays that is not used.
const resultKeep = 30 * 24 * time.Hour

// Results is the owner of the blobs that are results of stages.
const Results = "results"

// Cache keeps the results of stages. It is safe for concurrent use; of several processes only one, the daemon, has it
// open.
type Cache struct {
	o     Options
	memo  *memo
	runs  runs
	tools tools

	results, counts, sessions, definitions, digests *cold.Owner

	mu     sync.Mutex // guards what follows, and what is read to be written again
	loaded bool       // the digests
	trees  map[string]*tree
}

// New opens nothing: most repositories never use the cache.
func New(o Options) *Cache {
	c := &Cache{o: o, memo: newMemo(o.Now), trees: map[string]*tree{}}
	after := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	c.results = o.Blobs.Owner(Results, cold.Rule{Life: after(resultKeep), Bytes: o.Bytes, Names: namesPath})
	c.counts = o.Blobs.Owner("stage counts", cold.Rule{})
	c.sessions = o.Blobs.Owner("pipelines", cold.Rule{Life: after(sessionKeep), Quota: maxSession,
		Active: func(string) time.Time { return time.Time{} }, Names: partNames})
	// Definitions and digests are made again from files.
	c.definitions = o.Blobs.Owner("definitions", cold.Rule{Life: after(loaderTTL), Derived: true})
	c.digests = o.Blobs.Owner("digests", cold.Rule{Life: after(digestKeep), Derived: true, Leave: c.dropDigests})
	return c
}

// Close writes what is only in memory.
func (c *Cache) Close() error { return c.CloseIdle() }

func (c *Cache) warn(text string, args ...any) {
	if c.o.Log != nil {
		c.o.Log.Warn(text, args...)
	}
}

// maxTrees bounds the worktrees whose lists are kept.
const maxTrees = 32

func (c *Cache) tree(root string, list Lister) *tree {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.trees[root]
	if !ok {
		if len(c.trees) >= maxTrees {
			clear(c.trees)
		}
		t = newTree(root, list, c.o.Now)
		c.trees[root] = t
	}
	return t
}

// Place is a worktree: its root, absolute with links resolved, and its files.
type Place struct {
	Root string
	List Lister
}

// Turn is the answer to a request: a hit with its record, or the turn to run.
type Turn struct {
	Key     string
	Hit     bool
	Entry   Entry         // of a hit
	Record  []byte        // of a hit, in the form of DecodeRecord
	Miss    string        // why there is no hit, in words
	Waited  time.Duration // for another run of the same
	Idle    []string      // globs that name no file
	release func()
}

// Release gives the turn back: the run is over, or its caller has gone.
func (t *Turn) Release() {
	if t.release != nil {
		t.release()
	}
}

// Begin answers a request. While another run of the same key is under way, it waits for its end: then there is a hit,
// or the turn of this request. A turn must be released.
func (c *Cache) Begin(ctx context.Context, p Place, r Request) (*Turn, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if err := c.loadDigests(ctx); err != nil {
		return nil, err
	}
	began := c.o.Now()
	for waited := false; ; waited = true {
		m, idle, err := c.memo.material(ctx, c.tree(p.Root, p.List), &r)
		if err != nil {
			return nil, err
		}
		t := &Turn{Key: m.Key(), Idle: idle}
		if waited {
			t.Waited = c.o.Now().Sub(began)
		}
		if err := c.find(ctx, t, &r); err != nil || t.Hit {
			return t, err
		}
		release, wait := c.runs.begin(t.Key, m)
		if release != nil {
			t.release = release
			began := false
			defer func() { // after a panic below, too: others wait for the turn
				if !began {
					release()
				}
			}()
			err = c.begin(ctx, t, &r, m)
			began = err == nil && !t.Hit
			return t, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// begin looks the entry up again, because another run may have ended since. If there is none, it sets the reason.
func (c *Cache) begin(ctx context.Context, t *Turn, r *Request, m keyParts) (err error) {
	first := t.Miss // a damaged entry was dropped and is not found again
	t.Miss = ""
	if err := c.find(ctx, t, r); err != nil || t.Hit {
		return err
	}
	if t.Miss = cmp.Or(t.Miss, first); t.Miss == "" {
		t.Miss, err = c.explain(ctx, r.Stage, m)
	}
	return err
}

// find looks an entry up. It makes the turn a hit, or sets the reason why an existing entry does not count.
func (c *Cache) find(ctx context.Context, t *Turn, r *Request) error {
	if r.Refresh {
		t.Miss = "asked to run in any case"
		return nil
	}
	e, data, found, err := c.load(ctx, t.Key)
	if errors.Is(err, errDamaged) {
		t.Miss, err = errDamaged.Error(), nil
	}
	if err != nil || !found {
		return err
	}
	if t.Miss = e.refusal(r, c.o.Now()); t.Miss != "" {
		return nil
	}
	t.Hit, t.Entry, t.Record = true, e.Entry, data
	return c.count(ctx, r.Call, &e, Stat{Stage: e.Stage, Hits: 1, Saved: e.Duration})
}

// Result is the result of a run.
type Result struct {
	Key      string // of Begin's turn
	Exit     int
	Duration time.Duration
	Record   []byte
	Call     string // id of the call; a repeated one counts once
}

// End keeps the result of a run whose inputs are still those that it began with; otherwise why is what changed, and
// nothing is kept. Dependencies are digested again.
func (c *Cache) End(ctx context.Context, p Place, r Request, res Result) (kept bool, why string, err error) {
	if err := r.Check(); err != nil {
		return false, "", err
	}
	if err := c.loadDigests(ctx); err != nil {
		return false, "", err
	}
	if res.Exit != 0 && !r.Failures {
		return false, fmt.Sprintf("exit code %d", res.Exit), nil
	}
	rec, err := DecodeRecord(res.Record)
	if err != nil {
		return false, "", err
	}
	m, _, err := c.memo.material(ctx, c.tree(p.Root, p.List), &r)
	if err != nil {
		return false, "", err
	}
	if m.Key() != res.Key {
		why := "an input changed while it ran"
		if began := c.runs.material(res.Key); began != nil {
			if d := differences(began, m); len(d) > 0 {
				why = d[0].String() + " while it ran"
			}
		}
		return false, why, nil
	}
	now := c.o.Now()
	e := Entry{Key: res.Key, Stage: r.Stage, Created: now, Used: now, TTL: r.TTL.Milliseconds(), Exit: res.Exit,
		Duration: res.Duration.Milliseconds(),
		Bytes:    int64(len(res.Record)), Stdout: int64(len(rec.Output(Stdout))), Stderr: int64(len(rec.Output(Stderr))),
		Files: len(rec.Files), Command: r.Shown, Model: r.Model}
	if err := c.store(ctx, &r, e, m, res.Record); err != nil {
		return false, "", err
	}
	return true, "", c.count(ctx, res.Call, nil, Stat{Stage: r.Stage, Misses: 1})
}
