package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// onDisk tells whether any file of the store has the text in it.
func (r *fixture) onDisk(text string) (found bool) {
	r.Helper()
	err := filepath.WalkDir(r.store, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			found = found || bytes.Contains(data, []byte(text))
		}
		return err
	})
	fault.Check(r, err)
	return found
}

// TestForget: what is forgotten is gone, down to the bytes on the disk, and nothing else is.
func TestForget(t *testing.T) {
	r := newFixture(t)
	forget := func(f cold.ForgetFilter, results int) {
		t.Helper()
		if n, err := r.blobs.Forget(t.Context(), f); err != nil || n[Results] != results {
			t.Fatalf("%d results, %v; want %d", n[Results], err, results)
		}
		fault.Check(t, r.blobs.Scrub(t.Context()))
	}
	forget(cold.ForgetFilter{Session: "x"}, 0)
	if _, err := os.Stat(filepath.Join(r.store, "cache.db")); err == nil {
		t.Error("forgetting made a cache that was not used")
	}

	one, other := r.request(), r.request()
	other.Stage, other.Deps = "other", []string{"src/b.go"}
	r.keep(one, r.turn(one), "of-both-files")
	for _, s := range []string{"s1", "s2"} {
		p := Progress{Session: s, Pipeline: "p", Output: &Output{Stage: "one", Value: []byte("output-of-" + s)}}
		fault.Check(t, r.c.Progress(t.Context(), p))
		r.clock.at = r.clock.at.Add(time.Hour)
	}
	between := r.clock.at
	r.clock.at = r.clock.at.Add(time.Hour)
	r.keep(other, r.turn(other), "of-one-file")
	for _, text := range []string{"of-both-files", "of-one-file", "output-of-s1", "output-of-s2"} {
		if !r.onDisk(text) {
			t.Fatalf("%q is not on the disk, the test says nothing", text)
		}
	}

	forget(cold.ForgetFilter{Session: "s1"}, 0)
	if r.onDisk("output-of-s1") || !r.onDisk("output-of-s2") || !r.onDisk("of-both-files") {
		t.Error("one session is not what went")
	}
	forget(cold.ForgetFilter{Path: "src/a.go"}, 1)
	if r.turn(one).Hit || r.onDisk("of-both-files") || !r.onDisk("of-one-file") {
		t.Error("the results of what read a file are not what went")
	}
	forget(cold.ForgetFilter{Since: between}, 1)
	if r.onDisk("of-one-file") || !r.onDisk("output-of-s2") {
		t.Error("what came since is not what went")
	}
	forget(cold.ForgetFilter{Since: between.Add(-2 * time.Hour)}, 0)
	if r.onDisk("output-of-s2") {
		t.Error("a session of that time is still there")
	}
}

// TestSealed: what steps printed is no text on the disk, and without the key it is as if it had
// never been kept.
func TestSealed(t *testing.T) {
	r := newFixture(t)
	seal := func() *cold.Seal {
		t.Helper()
		dir := t.TempDir()
		s, err := cold.OpenSeal(filepath.Join(dir, "key"))
		fault.Check(t, err)
		return s
	}
	r.seal = seal()
	r.begin()
	q := r.request()
	r.keep(q, r.turn(q), "printed-by-a-step")
	p := Progress{Session: "s", Pipeline: "p", Output: &Output{Stage: "one", Value: []byte("output-of-a-stage")},
		Context: map[string]json.RawMessage{"a": []byte(`"handed-on"`)}}
	fault.Check(t, r.c.Progress(t.Context(), p))
	if got := r.turn(q); !got.Hit || got.Entry.Bytes != int64(len("printed-by-a-step")) {
		t.Errorf("with the key: %+v", got)
	}
	s, err := r.c.Session(t.Context(), "s", "p")
	if err != nil || string(s.Outputs[0].Value) != "output-of-a-stage" || string(s.Context["a"]) != `"handed-on"` {
		t.Errorf("with the key: %v %+v", err, s)
	}
	for _, text := range []string{"printed-by-a-step", "output-of-a-stage", "handed-on"} {
		if r.onDisk(text) {
			t.Errorf("%q lies open on the disk", text)
		}
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
		if got, err := r.c.ForgetSession(t.Context(), "s"); got != had || err != nil {
			t.Errorf("forgotten without the key: %v %v, want %v", got, err, had)
		}
	}
}
