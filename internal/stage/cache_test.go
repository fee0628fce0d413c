package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// fixture is a cache over a folder with a few files.
type fixture struct {
	*testing.T
	c     *Cache
	clock *clock
	root  string
	store string
	bytes int64
	place Place
	blobs *cold.Blobs
	seal  *cold.Seal
}

func newFixture(t *testing.T) *fixture {
	r := &fixture{T: t, clock: &clock{time.Now().Add(time.Hour)}, root: t.TempDir(), store: t.TempDir(), bytes: 1 << 30}
	fault.Write(t, filepath.Join(r.root, "src/a.go"), "a")
	fault.Write(t, filepath.Join(r.root, "src/b.go"), "b")
	r.place = Place{r.root, func(context.Context) (files []event.Path, basis []string, err error) {
		err = filepath.WalkDir(r.root, func(name string, e os.DirEntry, err error) error {
			if e.IsDir() {
				basis = append(basis, name)
			} else if p, ok := event.Root(r.root).Path(name); ok {
				files = append(files, p)
			}
			return err
		})
		return files, basis, err
	}}
	r.begin()
	return r
}

// begin opens the cache, again if it was open.
func (r *fixture) begin() {
	if r.blobs != nil {
		fault.Check(r, r.blobs.Close())
	}
	r.blobs = fault.Must(cold.OpenBlobs(r.Context(), filepath.Join(r.store, "cache.db"),
		cold.Options{Now: r.clock.now, Seal: r.seal}))
	r.c = New(Options{Blobs: r.blobs, Now: r.clock.now, Bytes: func() int64 { return r.bytes }})
	b := r.blobs
	r.Cleanup(func() { _ = b.Close() }) // closed twice is closed
}

func (r *fixture) request() Request {
	return Request{Stage: "s", Command: []string{"true"}, Deps: []string{"src/*.go"}}
}

func (r *fixture) turn(q Request) *Turn {
	r.Helper()
	return fault.Must(r.c.Begin(r.Context(), r.place, q))
}

func (r *fixture) keep(q Request, t *Turn, out string) {
	r.Helper()
	defer t.Release()
	rec := &Record{Frames: []Frame{{Stdout, []byte(out)}}}
	kept, err := r.c.End(r.Context(), r.place, Result{Request: q, Key: t.Key, Duration: 1000, Record: rec})
	if err != nil || !kept.Kept {
		r.Fatalf("not kept: %v, %s", err, kept.Why)
	}
}

// TestOneRuns: of many that want the same at once one runs, and all others get what it printed;
// when it comes to nothing, the next one runs.
func TestOneRuns(t *testing.T) {
	r := newFixture(t)
	q := r.request()
	first := r.turn(q)
	const n = 20
	hits, runs := make(chan *Turn, n), make(chan *Turn, n)
	var g sync.WaitGroup
	for range n {
		g.Go(func() {
			got, err := r.c.Begin(t.Context(), r.place, q)
			switch {
			case err != nil:
				t.Error(err)
			case got.Hit:
				hits <- got
			default:
				runs <- got
			}
		})
	}
	first.Release() // it failed
	second := <-runs
	select {
	case <-runs:
		t.Error("two run at once")
	case <-hits:
		t.Error("a hit of nothing")
	default:
	}
	r.keep(q, second, "out")
	g.Wait()
	if len(hits) != n-1 || len(runs) != 0 {
		t.Errorf("%d hits, %d more runs", len(hits), len(runs))
	}
	// One that does not wait any longer leaves the others alone.
	q.Stage = "other"
	first = r.turn(q)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.c.Begin(ctx, r.place, q); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	first.Release()
}

func TestChangeWhileRunningIsNotKept(t *testing.T) {
	r := newFixture(t)
	q := r.request()
	turn := r.turn(q)
	fault.Write(t, filepath.Join(r.root, "src/b.go"), "changed")
	res := Result{Request: q, Key: turn.Key, Record: &Record{}}
	if kept, err := r.c.End(t.Context(), r.place, res); err != nil || kept != (Kept{Why: "file src/b.go changed while it ran"}) {
		t.Errorf("%+v, %v", kept, err)
	}
	turn.Release()
}

func TestEviction(t *testing.T) {
	r := newFixture(t)
	r.bytes = 10_000
	for i := range 10 {
		q := r.request()
		q.Inputs = map[string]string{"n": fmt.Sprint(i)}
		r.keep(q, r.turn(q), strings.Repeat("x", 3000))
		r.clock.at = r.clock.at.Add(time.Minute)
	}
	left, err := r.c.List(t.Context(), "", 100)
	if err != nil || len(left) != 3 {
		t.Fatalf("%v: %d entries", err, len(left))
	}
	q := r.request()
	q.Inputs = map[string]string{"n": "9"}
	if !r.turn(q).Hit {
		t.Error("the newest is gone")
	}
}

func (r *fixture) sweep() {
	r.Helper()
	if _, err := r.blobs.Sweep(r.Context()); err != nil {
		r.Fatal(err)
	}
}

// TestDamaged: a result that was damaged is a miss once, and its step runs again.
func TestDamaged(t *testing.T) {
	r := newFixture(t)
	q := r.request()
	r.keep(q, r.turn(q), "out")
	fault.Must(r.c.results.Put(t.Context(), cold.Blob{Key: r.turn(q).Key, Part: q.Stage, Meta: []byte("{"), Data: []byte("x")}))
	got := r.turn(q)
	if got.Hit || got.Miss != "the kept result was damaged" {
		t.Fatalf("%+v", got)
	}
	r.keep(q, got, "out")
	if !r.turn(q).Hit {
		t.Error("it is not kept again")
	}
}

func TestSessionKeepsOutputs(t *testing.T) {
	r := newFixture(t)
	tell := func(p Progress) {
		t.Helper()
		p.Session, p.Pipeline = "s", "p"
		fault.Check(t, r.c.Progress(t.Context(), p))
	}
	tell(Progress{State: Running, Context: map[string]json.RawMessage{"a": []byte(`[1]`)}})
	tell(Progress{Output: &Output{Stage: "one", Value: []byte("text"), Key: "k1"}, Tokens: 7})
	tell(Progress{Output: &Output{Stage: "two", Prompt: "x.y", JSON: true, Value: []byte(`{"b":2}`), Key: "k2"},
		Tokens: 5})
	r.begin() // it was killed here
	s, err := r.c.Session(t.Context(), "s", "p")
	if err != nil || !s.Known || s.State != Running || len(s.Outputs) != 2 || s.Outputs[0].Key != "k1" || s.Tokens != 12 ||
		string(s.Context["a"]) != "[1]" {
		t.Fatalf("%v: %+v", err, s)
	}
	tell(Progress{State: Done})
	if s, _ = r.c.Session(t.Context(), "s", "p"); len(s.Outputs) != 2 || s.Outputs[0].Key != "" {
		t.Errorf("done: %+v", s)
	}
	tell(Progress{State: Running})
	if s, _ = r.c.Session(t.Context(), "s", "p"); s.Outputs[0].Key != "" {
		t.Error("a run continues after stages of an earlier one")
	}
	if s, _ = r.c.Session(t.Context(), "other", "p"); s.Known {
		t.Error("another session knows of it")
	}
}

// TestForget: what is forgotten is gone, and nothing else is. That its bytes go, too, is tested with
// the blobs.
func TestForget(t *testing.T) {
	r := newFixture(t)
	one, other := r.request(), r.request()
	other.Stage, other.Deps = "other", []string{"src/b.go"}
	forget := func(f cold.ForgetFilter, want string) {
		t.Helper()
		fault.Must(r.blobs.Forget(t.Context(), f))
		var left []string
		for _, e := range fault.Must(r.c.List(t.Context(), "", 9)) {
			left = append(left, e.Stage)
		}
		slices.Sort(left)
		sessions := fault.Must(r.c.Sessions(t.Context(), 9))
		slices.Sort(sessions)
		fault.Same(t, fmt.Sprintf("left without %+v", f), fmt.Sprint(left, sessions), want)
	}
	forget(cold.ForgetFilter{Session: "x"}, "[] []")
	r.keep(one, r.turn(one), "of-both-files")
	for _, s := range []string{"s1", "s2"} {
		p := Progress{Session: s, Pipeline: "p", Output: &Output{Stage: "one", Value: []byte("output-of-" + s)}}
		fault.Check(t, r.c.Progress(t.Context(), p))
		r.clock.at = r.clock.at.Add(time.Hour)
	}
	between := r.clock.at
	r.clock.at = r.clock.at.Add(time.Hour)
	r.keep(other, r.turn(other), "of-one-file")
	forget(cold.ForgetFilter{Session: "s1"}, "[other s] [s2]")
	forget(cold.ForgetFilter{Path: "src/a.go"}, "[other] [s2]")
	forget(cold.ForgetFilter{Since: between}, "[] [s2]")
	forget(cold.ForgetFilter{Since: between.Add(-2 * time.Hour)}, "[] []")
}

// TestLostKey: without the key of its texts a result is as if it had never been kept, and what a
// session has can still be forgotten.
func TestLostKey(t *testing.T) {
	r := newFixture(t)
	seal := func() *cold.Seal { return fault.Must(cold.OpenSeal(filepath.Join(t.TempDir(), "key"))) }
	r.seal = seal()
	r.begin()
	q := r.request()
	r.keep(q, r.turn(q), "printed-by-a-step")
	fault.Check(t, r.c.Progress(t.Context(), Progress{Session: "s", Pipeline: "p", Output: &Output{Stage: "one", Value: []byte("output")}}))
	if got := r.turn(q); !got.Hit || got.Entry.Bytes != int64(len("printed-by-a-step")) {
		t.Errorf("with the key: %+v", got)
	}
	r.seal = seal()
	r.begin()
	if got := r.turn(q); got.Hit {
		t.Errorf("without the key: %+v", got)
	}
	if _, err := r.c.Session(t.Context(), "s", "p"); !errors.Is(err, cold.ErrLostKey) {
		t.Errorf("without the key: %v", err)
	}
	for _, had := range []bool{true, false} {
		fault.Same(t, "forgotten without the key", fault.Must(r.c.ForgetSession(t.Context(), "s")), had)
	}
}
