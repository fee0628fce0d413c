package stage

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// TestForget: what is forgotten is gone, down to the bytes on the disk, and nothing else is.
func TestForget(t *testing.T) {
	r := newRoom(t)
	onDisk := func(text string) (found bool) {
		t.Helper()
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
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	forget := func(f cold.ForgetFilter) {
		t.Helper()
		if err := r.c.Forget(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	forget(cold.ForgetFilter{Session: "x"})
	if _, err := os.Stat(filepath.Join(r.store, "stage.db")); err == nil {
		t.Error("a cache that nobody used was made to be forgotten in")
	}

	one, other := r.request(), r.request()
	other.Stage, other.Deps = "other", []string{"src/b.go"}
	r.keep(one, r.turn(one), "of-both-files")
	for _, s := range []string{"s1", "s2"} {
		p := Progress{Session: s, Pipeline: "p", Output: &Output{Stage: "one", Value: []byte("told-in-" + s)}, Key: "k"}
		if err := r.c.Progress(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		r.clock.at = r.clock.at.Add(time.Hour)
	}
	between := r.clock.at
	r.clock.at = r.clock.at.Add(time.Hour)
	r.keep(other, r.turn(other), "of-one-file")
	for _, text := range []string{"of-both-files", "of-one-file", "told-in-s1", "told-in-s2"} {
		if !onDisk(text) {
			t.Fatalf("%q is not on the disk, the test says nothing", text)
		}
	}

	forget(cold.ForgetFilter{Session: "s1"})
	if onDisk("told-in-s1") || !onDisk("told-in-s2") || !onDisk("of-both-files") {
		t.Error("one session is not what went")
	}
	forget(cold.ForgetFilter{Path: "src/a.go"})
	if r.turn(one).Hit || onDisk("of-both-files") || !onDisk("of-one-file") {
		t.Error("the results of what read a file are not what went")
	}
	forget(cold.ForgetFilter{Since: between})
	if onDisk("of-one-file") || !onDisk("told-in-s2") {
		t.Error("what came since is not what went")
	}
	forget(cold.ForgetFilter{Since: between.Add(-2 * time.Hour)})
	if onDisk("told-in-s2") {
		t.Error("a session of that time is still there")
	}
}
