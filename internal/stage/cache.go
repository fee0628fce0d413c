package stage

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlSelect = `SELECT key, stage, created, used, hits, ttl, exit, duration, bytes, stdout, stderr, files, command, model, sum
FROM entries`
	sqlEntry = sqlSelect + " WHERE key = ?"
	sqlSaved = `INSERT INTO saved (stage, hits, misses, ms) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (stage) DO UPDATE SET hits = hits + ?2, misses = misses + ?3, ms = ms + ?4`
)

//go:embed schema.sql
var schema string

// Options of New. All but Log are needed.
type Options struct {
	Dir   string // folder of the records; the database is in its parent
	Now   func() time.Time
	Log   *slog.Logger
	Bytes func() int64         // that all records may take
	Keep  func() time.Duration // after which an unused entry is dropped
	Seal  *cold.Seal           // seals what steps printed; nil stores it open
}

// Cache keeps the results of stages. It is safe for concurrent use; of several processes only one, the daemon, has it
// open.
type Cache struct {
	o     Options
	memo  *memo
	runs  runs
	tools tools

	mu    sync.Mutex // guards what follows
	file  *cold.File
	trees map[string]*tree
}

// New opens nothing: most repositories never use the cache.
func New(o Options) *Cache {
	return &Cache{o: o, memo: newMemo(o.Now), trees: map[string]*tree{}}
}

// database is the name of the SQLite file.
func (c *Cache) database() string { return filepath.Join(filepath.Dir(c.o.Dir), "stage.db") }

// open returns the database, opening it when first asked.
func (c *Cache) open(ctx context.Context) (*cold.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil {
		return c.file, nil
	}
	// The next daemon replaces a damaged one. Until then every lookup fails, and steps run.
	var err error
	if c.file, err = cold.OpenFile(ctx, c.database(), schema, cold.Options{Now: c.o.Now, Log: c.o.Log}); err != nil {
		return nil, err
	}
	return c.file, c.loadDigests(ctx, c.file)
}

// Close writes what is only in memory and closes the database.
func (c *Cache) Close() error {
	err := c.CloseIdle()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return nil
	}
	err = errors.Join(err, c.file.Close())
	c.file = nil
	return err
}

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
	f, err := c.open(ctx)
	if err != nil {
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
		if err := c.find(ctx, f, t, &r); err != nil || t.Hit {
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
			err = c.begin(ctx, f, t, &r, m)
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
func (c *Cache) begin(ctx context.Context, f *cold.File, t *Turn, r *Request, m keyParts) (err error) {
	first := t.Miss // a damaged entry was dropped and is not found again
	t.Miss = ""
	if err := c.find(ctx, f, t, r); err != nil || t.Hit {
		return err
	}
	if t.Miss = cmp.Or(t.Miss, first); t.Miss == "" {
		t.Miss, err = c.explain(ctx, f, r.Stage, m)
	}
	return err
}

// find looks an entry up. It makes the turn a hit, or sets the reason why an existing entry does not count.
func (c *Cache) find(ctx context.Context, f *cold.File, t *Turn, r *Request) error {
	if r.Refresh {
		t.Miss = "asked to run in any case"
		return nil
	}
	found, err := entries(ctx, f, sqlEntry, t.Key)
	if err != nil || len(found) == 0 {
		return err
	}
	e, now := found[0], c.o.Now()
	if t.Miss = e.refusal(r, now); t.Miss != "" {
		return nil
	}
	data, ok := c.load(ctx, f, e)
	if !ok {
		t.Miss = "the kept result was damaged"
		return nil
	}
	t.Hit, t.Entry, t.Record = true, e.Entry, data
	return f.Write(ctx, "count hit", func(tx *cold.Tx) error {
		if again, err := c.repeated(tx, r.Call); again || err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE entries SET used = ?, hits = hits + 1 WHERE key = ?", now.UnixMilli(),
			e.Key); err != nil {
			return err
		}
		_, err := tx.Exec(sqlSaved, e.Stage, 1, 0, e.Duration)
		return err
	})
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
	f, err := c.open(ctx)
	if err != nil {
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
	if err := c.store(ctx, f, &r, e, m, res.Record); err != nil {
		return false, "", err
	}
	err = f.Write(ctx, "count run", func(tx *cold.Tx) error {
		if again, err := c.repeated(tx, res.Call); again || err != nil {
			return err
		}
		_, err := tx.Exec(sqlSaved, r.Stage, 0, 1, 0)
		return err
	})
	return true, "", errors.Join(err, c.evict(ctx, f))
}
