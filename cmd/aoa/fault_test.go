package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestCorrupted: with random bytes of any file of the store changed, cut off or lost, while no
// daemon runs, the next command answers from git's history at least, and says so whenever something
// is missing; nothing ends with a panic.
func TestCorrupted(t *testing.T) {
	noRace(t)
	t.Parallel()
	const commits = 32
	d := newSandbox(t, commits)
	d.must("init")
	d.must("config", "threshold", "0.7")
	var batch []event.Event
	for i := range 200 {
		batch = append(batch, event.Event{ID: fmt.Sprint("e", i), Time: time.Now(), Session: fmt.Sprint("s", i%7),
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{"README.md"}}})
	}
	mustCall(d, api.Events, batch)
	d.must("daemon", "stop")
	store := d.place().Store
	whole := read(t, store)
	if len(whole) < 2 {
		t.Fatalf("the store holds only %d files", len(whole))
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for n := range whole {
			if !yield(n) {
				return
			}
		}
	})
	r := rand.New(rand.NewPCG(5, 6))
	book := fault.Open(t, "file corrupted, cut or gone")
	for round := range fault.Rounds() {
		name := names[r.IntN(len(names))]
		what, bytes := harmed(r, whole[name])
		what = fmt.Sprintf("round %d: %s: %s", round, name, what)
		verdict := fault.Whole
		restore(t, store, whole, name, bytes)
		s := d.do("daemon", "start")
		if s.code == 0 {
			s.err += d.do("status").err
		}
		complaint := s.code != 0 || strings.Contains(s.err, "aoa: ")
		switch {
		case strings.Contains(s.err, "panic") || strings.Contains(s.err, "goroutine "):
			t.Fatalf("%s: %s", what, s.err)
		case s.code != 0 && !strings.Contains(s.err, "hint: "):
			t.Errorf("%s: exit %d without a way on:\n%s", what, s.code, s.err)
			verdict = fault.Wrong
		}
		switch {
		case verdict == fault.Wrong:
		case s.code != 0:
			verdict = fault.Refused
		case complaint:
			verdict = fault.Rebuilt
		}
		if s.code == 0 {
			d.read()
			st := d.status()
			if st.Commits != commits {
				t.Errorf("%s: %d commits are known, want %d", what, st.Commits, commits)
				verdict = fault.Wrong
			}
			if st.Events < 200 && !complaint {
				t.Errorf("%s: of 200 events %d are left, and no message says so", what, st.Events)
				verdict = fault.Lost
			}
			if st.Events < 200 && verdict == fault.Whole {
				verdict = fault.Rebuilt
			}
		}
		book.Add(verdict, 1)
		d.do("daemon", "stop")
	}
}

// harmed changes, cuts or empties content.
func harmed(r *rand.Rand, content []byte) (string, []byte) {
	b := slices.Clone(content)
	switch n := r.IntN(4); {
	case n == 0 && len(b) > 0:
		cut := r.IntN(len(b))
		return fmt.Sprintf("cut at %d of %d", cut, len(b)), b[:cut]
	case n == 1:
		return "gone", nil
	default:
		flips := 1 + r.IntN(64)
		for range flips {
			if len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
		}
		return fmt.Sprintf("%d bytes of %d changed", flips, len(b)), b
	}
}

// read gives the files of a folder.
func read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	fault.Check(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+string(filepath.Separator))] = b
		return err
	}))
	return files
}

// restore makes a folder what it was, but for one file; nil bytes are no file.
func restore(t *testing.T, dir string, files map[string][]byte, name string, bytes []byte) {
	t.Helper()
	fault.Check(t, os.RemoveAll(dir))
	for n, b := range files {
		if n == name {
			b = bytes
		}
		if b == nil {
			continue
		}
		fault.Check(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(n)), 0o700))
		fault.Check(t, os.WriteFile(filepath.Join(dir, n), b, 0o600))
	}
}
