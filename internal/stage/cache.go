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

// Options of New.
type Options struct {
	Blobs *cold.Blobs // where results and states of pipelines are
	Now   func() time.Time
	Log   *slog.Logger
	Bytes func() int64 // that all records may take: those used least recently are dropped
}

// resultKeep is how long a result stays that is not used.
const resultKeep = 30 * 24 * time.Hour

// MaxResult is the largest result that is kept, output and files, in bytes.
const MaxResult = 16_000_000

// Results is the owner of the blobs that are results of stages.
const Results = "results"

// Cache keeps the results of stages. It is safe for concurrent use; of several processes only one,
// the daemon, has it open.
type Cache struct {
	o       Options
	digests digests

	results, sessions *cold.Owner

	mu    sync.Mutex // guards what follows, and a session's run that is read to be written again
	trees map[string]*tree
	runs  map[string]*run         // that are under way, by key
	tools map[Tool]rememberedTool // without a version
}

// run is a run that is under way. Of two requests for the same key, one runs and the other waits.
type run struct {
	parts keyParts
	over  chan struct{}
}

type rememberedTool struct {
	id      identity
	version string
}

// maxRemembered bounds the worktrees whose lists are kept, and the versions of tools.
const maxRemembered = 256

// New opens nothing: most repositories never use the cache.
func New(o Options) *Cache {
	c := &Cache{o: o, digests: digests{now: o.Now}, trees: map[string]*tree{}, runs: map[string]*run{},
		tools: map[Tool]rememberedTool{}}
	after := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	c.results = o.Blobs.Owner(Results, cold.Rule{Unused: after(resultKeep), Bytes: o.Bytes})
	c.sessions = o.Blobs.Owner("pipelines", cold.Rule{Unused: after(sessionKeep), Quota: maxSession,
		Active: func(string) time.Time { return time.Time{} }})
	return c
}

// Turn is the answer to a request: a hit with its record, or the turn to run.
type Turn struct {
	Key     string   `json:"key"`
	Hit     bool     `json:"hit"`
	Entry   *Entry   `json:"entry,omitempty"` // of a hit
	Miss    string   `json:"miss,omitempty"`  // why it runs, in words
	Waited  int64    `json:"waited_ms,omitempty"`
	Idle    []string `json:"idle,omitempty"`     // patterns of which no file exists
	Version string   `json:"version,omitempty"`  // the tool's
	AskTool bool     `json:"ask_tool,omitempty"` // the version is not known: ask again with it
	Record  []byte   `json:"-"`                  // of a hit, in the form of DecodeRecord

	release func()
}

// Release gives the turn back: the run is over, or its caller has gone.
func (t *Turn) Release() {
	if t.release != nil {
		t.release()
	}
}

// Begin answers a request. While another run of the same key is under way, it waits for its end:
// then there is a hit, or the turn of this request. A turn must be released.
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

// take takes the turn for a key, or returns the run to wait for.
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

// answer makes a turn a hit, or gives it the reason to run. A turn that does not run is released.
func (c *Cache) answer(ctx context.Context, t *Turn, r *Request, parts keyParts, release func()) error {
	defer func() {
		if t.release == nil { // after a panic, too: others wait
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
			t.Hit, t.Entry, t.Record = true, &e, kept.Record.Encode()
			return c.use(ctx, &e)
		}
	}
	t.release = release
	return nil
}

// Kept says whether a result was kept, and if not, why.
type Kept struct {
	Kept bool   `json:"kept"`
	Why  string `json:"why,omitempty"`
}

// Result is the result of a run that succeeded.
type Result struct {
	Request  Request `json:"request"`
	Key      string  `json:"key"` // of Begin's turn
	Duration int64   `json:"duration_ms"`
	Record   []byte  `json:"-"` // in the form of DecodeRecord
}

// End keeps the result of a run whose inputs are still those that it began with: dependencies are
// digested again.
func (c *Cache) End(ctx context.Context, p Place, res Result) (Kept, error) {
	r := &res.Request
	if err := r.check(); err != nil {
		return Kept{}, err
	}
	rec, err := DecodeRecord(res.Record)
	if err != nil {
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
	err = c.store(ctx, Entry{Key: res.Key, Stage: r.Stage, Duration: res.Duration, Bytes: rec.size(), Command: r.Shown},
		result{Deps: r.Deps, Outputs: r.Outputs, Template: r.Template, Parts: parts, Record: *rec})
	return Kept{Kept: err == nil}, err
}

// changedSince is the first change since a run that is under way began.
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

// parts lists the parts of a request's key, and the globs that name no file.
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

// tool remembers the version that a tool printed, or fills it in: it is valid as long as the
// program's file is the same. (A shim that selects another program by a file of the project is not
// noticed: that file belongs among the dependencies.) ok is false if the version is not known.
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
	case t.Version != "" && id.reliable(c.o.Now().Add(-time.Minute)): // a program that was replaced since it ran has young times
		if len(c.tools) >= maxRemembered {
			clear(c.tools)
		}
		c.tools[key] = rememberedTool{id, t.Version}
	}
	return t.Version != ""
}
