package stage

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Options are the options of New.
type Options struct {
	Blobs *cold.Blobs // where results and states of pipelines are stored
	Now   func() time.Time
	Log   *slog.Logger
	Bytes func() int64 // bytes that all records may take; beyond it the least recently used are deleted
}

// resultKeep is how long an unused result is kept.
const resultKeep = 30 * 24 * time.Hour

// MaxResult is the largest result that is kept, output and files, in bytes.
const MaxResult = 16_000_000

// Results is the name of the owner of the blobs with results of stages.
const Results = "results"

// Cache stores the results of stages. It is safe for concurrent use. Only one process, the daemon,
// has it open.
type Cache struct {
	o       Options
	digests digests

	results, sessions *cold.Owner

	// Guards the following fields. It is also held while a session's run is read and written back.
	mu    sync.Mutex
	trees map[string]*tree
	runs  map[string]*run         // runs under way, by key
	tools map[Tool]rememberedTool // without a version
}

// run is a run that is under way. If two requests have the same key, one runs and the other waits.
type run struct {
	parts keyParts
	over  chan struct{}
}

type rememberedTool struct {
	id      identity
	version string
}

// maxRemembered is the number of worktrees whose lists are kept, and of tools whose versions are.
const maxRemembered = 256

// New returns a Cache without opening anything, because most repositories never use it.
func New(o Options) *Cache {
	c := &Cache{o: o, digests: digests{now: o.Now}, trees: map[string]*tree{}, runs: map[string]*run{},
		tools: map[Tool]rememberedTool{}}
	c.results = o.Blobs.Owner(Results, cold.Rule{Unused: resultKeep, Bytes: o.Bytes})
	c.sessions = o.Blobs.Owner("pipelines", cold.Rule{Unused: sessionKeep, Quota: maxSession,
		Active: func(string) time.Time { return time.Time{} }})
	return c
}

// Turn is the answer to a request: a hit with its record, or permission to run.
type Turn struct {
	Key     string   `json:"key"`
	Hit     bool     `json:"hit"`
	Entry   *Entry   `json:"entry,omitempty"` // for a hit: the stored result
	Miss    string   `json:"miss,omitempty"`  // why the stage runs, in words
	Waited  int64    `json:"waited_ms,omitempty"`
	Idle    []string `json:"idle,omitempty"`     // patterns that match no file
	Version string   `json:"version,omitempty"`  // the version of the tool
	AskTool bool     `json:"ask_tool,omitempty"` // the tool's version is not known; ask again with it
	Record  *Record  `json:"record,omitempty"`   // for a hit

	release func()
}

// Held reports whether the caller may run, and others with the same key wait for it.
func (t Turn) Held() bool { return t.release != nil }

// Release ends the turn, because the run is over or its caller has gone.
func (t Turn) Release() {
	if t.release != nil {
		t.release()
	}
}

// Begin answers a request. If another run with the same key is under way, it waits for the end of
// that run; then there is a hit, or this request may run. The caller must release the turn.
func (c *Cache) Begin(ctx context.Context, p Place, r Request) (*Turn, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if !c.tool(&r.Tool) {
		return &Turn{AskTool: true}, nil
	}
	began, waited := c.o.Now(), time.Duration(0)
	for {
		parts, idle, err := c.parts(ctx, p, &r)
		if err != nil {
			return nil, err
		}
		t := &Turn{Key: parts.key(), Idle: idle, Version: r.Tool.Version, Waited: waited.Milliseconds()}
		release, other := c.take(t.Key, parts)
		if release != nil {
			return t, c.answer(ctx, t, &r, parts, release)
		}
		select {
		case <-other.over:
			waited = c.o.Now().Sub(began)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take reserves the run for a key, or returns the run to wait for.
func (c *Cache) take(key string, parts keyParts) (release func(), other *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.runs[key]; other != nil {
		return nil, other
	}
	own := &run{parts, make(chan struct{})}
	c.runs[key] = own
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.runs, key)
		close(own.over)
	}), nil
}

// answer turns t into a hit, or sets the reason to run. A turn that does not run is released.
func (c *Cache) answer(ctx context.Context, t *Turn, r *Request, parts keyParts, release func()) error {
	defer func() {
		if t.release == nil { // even after a panic, because others wait
			release()
		}
	}()
	if r.Refresh {
		t.Miss, t.release = "asked to run in any case", release
		return nil
	}
	e, kept, found, err := c.load(ctx, t.Key)
	switch {
	case errors.Is(err, errDamaged):
		t.Miss = errDamaged.Error()
	case err != nil:
		return err
	case !found:
		if t.Miss, err = c.changedSinceNewest(ctx, r.Stage, parts); err != nil {
			return err
		}
	default:
		if t.Miss = e.refusal(r, c.o.Now()); t.Miss == "" {
			t.Hit, t.Entry, t.Record = true, &e, &kept.Record
			return c.use(ctx, &e)
		}
	}
	t.release = release
	return nil
}

// Kept tells whether a result was stored, and if not, why.
type Kept struct {
	Kept bool   `json:"kept"`
	Why  string `json:"why,omitempty"`
}

// Result is the result of a run that succeeded.
type Result struct {
	Request  Request `json:"request"`
	Key      string  `json:"key"` // the key that Begin returned
	Duration int64   `json:"duration_ms"`
	Record   *Record `json:"record"`
}

// End stores the result of a run if its inputs are still the same as at the beginning. For this the
// dependencies are hashed again.
func (c *Cache) End(ctx context.Context, p Place, res Result) (Kept, error) {
	r := &res.Request
	if err := r.check(); err != nil {
		return Kept{}, err
	}
	if err := res.Record.check(); err != nil {
		return Kept{}, err
	}
	if !c.tool(&r.Tool) {
		return Kept{}, wrong("the version of the tool is missing")
	}
	parts, _, err := c.parts(ctx, p, r)
	if err != nil {
		return Kept{}, err
	}
	if parts.key() != res.Key {
		return Kept{Why: c.changedSince(res.Key, parts) + " while it ran"}, nil
	}
	err = c.store(ctx, Entry{Key: res.Key, Stage: r.Stage, Duration: res.Duration, Bytes: res.Record.size(), Command: r.Shown},
		result{Deps: r.Deps, Outputs: r.Outputs, Template: r.Template, Parts: parts, Record: *res.Record})
	return Kept{Kept: err == nil}, err
}

// changedSince returns the first change since a run under way began, in words.
func (c *Cache) changedSince(key string, parts keyParts) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.runs[key]; r != nil {
		if d := differences(r.parts, parts); len(d) > 0 {
			return d[0].String()
		}
	}
	return "an input changed"
}

// parts returns the parts of a request's key, and the globs that match no file.
func (c *Cache) parts(ctx context.Context, p Place, r *Request) (keyParts, []string, error) {
	c.mu.Lock()
	t := c.trees[p.Root]
	if t == nil {
		if len(c.trees) >= maxRemembered {
			clear(c.trees)
		}
		t = &tree{Place: p, now: c.o.Now}
		c.trees[p.Root] = t
	}
	c.mu.Unlock()
	deps, idle, err := t.resolve(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	files, err := c.digests.parts(ctx, deps)
	if err != nil {
		return nil, nil, err
	}
	parts, err := r.parts(files, c.digests.file)
	if errors.Is(err, fs.ErrNotExist) {
		err = wrong("template %s does not exist", r.Template)
	}
	return parts, idle, err
}

// tool remembers the version that a tool printed, or fills in the remembered one. The version is
// valid as long as the program's file is the same. (A wrapper that selects another program by a
// file of the project is not noticed; that file should be declared as a dependency.) ok is false if
// the version is not known.
func (c *Cache) tool(t *Tool) (ok bool) {
	if t.Command == "" {
		return true
	}
	key := *t
	key.Version = ""
	var id identity
	if real, err := filepath.EvalSymlinks(t.Path); err == nil {
		id, _ = stat(real)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch known := c.tools[key]; {
	case t.Version == "" && id == known.id:
		t.Version = known.version
	// a program that was replaced since it ran has a recent time
	case t.Version != "" && id.reliable(c.o.Now().Add(-time.Minute)):
		if len(c.tools) >= maxRemembered {
			clear(c.tools)
		}
		c.tools[key] = rememberedTool{id, t.Version}
	}
	return t.Version != ""
}
