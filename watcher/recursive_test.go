package watcher

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/fsnotify/fsnotify"

	"github.com/aoa-dev/aoa/internal/event"
)

// changeRecords writes what Windows writes: actions and names, each record aligned to four bytes.
func changeRecords(changes ...any) []byte {
	var out []byte
	for i := 0; i < len(changes); i += 2 {
		name := utf16.Encode([]rune(changes[i+1].(string)))
		record := binary.LittleEndian.AppendUint32(nil, 0)
		record = binary.LittleEndian.AppendUint32(record, uint32(changes[i].(int)))
		record = binary.LittleEndian.AppendUint32(record, uint32(2*len(name)))
		for _, c := range name {
			record = binary.LittleEndian.AppendUint16(record, c)
		}
		if i+2 < len(changes) {
			for len(record)%4 != 0 {
				record = append(record, 0xee)
			}
			binary.LittleEndian.PutUint32(record, uint32(len(record)))
		}
		out = append(out, record...)
	}
	return out
}

func TestParseChanges(t *testing.T) {
	got, whole := parseChanges("r", changeRecords(1, "new", 3, "a.go", 4, "old.go", 5, "ünï😀.go", 2, "gone", 9, "of a later Windows"))
	want := []fsnotify.Event{{Name: filepath.Join("r", "new"), Op: fsnotify.Create}, {Name: filepath.Join("r", "a.go"), Op: fsnotify.Write},
		{Name: filepath.Join("r", "old.go"), Op: fsnotify.Rename}, {Name: filepath.Join("r", "ünï😀.go"), Op: fsnotify.Create},
		{Name: filepath.Join("r", "gone"), Op: fsnotify.Remove}}
	if !whole || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, whole, want)
	}
	if got, whole := parseChanges("r", changeRecords(1, "a", 1, "b")[:22]); whole || len(got) != 1 {
		t.Errorf("of a record that is cut: %v, %v", got, whole)
	}
}

func FuzzParseChanges(f *testing.F) {
	f.Add(changeRecords(1, "new", 3, "a.go"))
	f.Add(changeRecords(4, "old", 5, "new")[:20])
	f.Add(binary.LittleEndian.AppendUint32(nil, 4))
	f.Fuzz(func(t *testing.T, in []byte) {
		events, _ := parseChanges("r", in)
		if len(events) > len(in)/12 {
			t.Errorf("%d events in %d bytes", len(events), len(in))
		}
	})
}

func TestTreeRoots(t *testing.T) {
	var r treeRoots
	path := func(s string) string { return filepath.FromSlash(s) }
	for _, c := range []struct {
		add             string
		known           bool
		covered         []string
		inside, outside string
	}{
		{"/w/r/.git", false, nil, "/w/r/.git/refs", "/w/r"},
		{"/w/r/.git/refs", true, nil, "/w/r/.git/refs/heads", "/w/r/.gitignore"},
		{"/w/other", false, nil, "/w/other/x", "/w/others"},
		{"/w/r", false, []string{path("/w/r/.git")}, "/w/r/a/b", "/w/r2"},
		{"/w/r/.git", true, nil, "/w/r", "/w"},
	} {
		if known := r.covers(path(c.add)); known != c.known {
			t.Errorf("%s is covered: %v", c.add, known)
		}
		if !c.known {
			if covered := r.add(path(c.add)); !slices.Equal(covered, c.covered) {
				t.Errorf("%s covers %q, want %q", c.add, covered, c.covered)
			}
		}
		if !r.covers(path(c.inside)) || r.covers(path(c.outside)) {
			t.Errorf("with %s: %s %v, %s %v", c.add, c.inside, r.covers(path(c.inside)), c.outside, r.covers(path(c.outside)))
		}
	}
}

// treeOf makes a notifier that works as the one of Windows does: one watch per root reports all below it, also in folders
// that are ignored. It returns the roots that it holds.
func treeOf(t *testing.T) (open func() (notifier, error), held func() []string) {
	var mu sync.Mutex
	var roots treeRoots
	open = func() (notifier, error) {
		n, err := openNotifier()
		if err != nil {
			return n, err
		}
		inner, out := n, make(chan fsnotify.Event)
		addAll := func(dir string) {
			for _, d := range foldersBelow(dir) {
				_ = inner.add(d)
			}
		}
		go func() {
			defer close(out)
			for ev := range inner.events {
				if ev.Has(fsnotify.Create) {
					addAll(ev.Name)
				}
				out <- ev
			}
		}()
		n.events, n.recursive = out, true
		n.remove = func(string) error { return nil }
		n.add = func(dir string) error {
			mu.Lock()
			defer mu.Unlock()
			if !roots.covers(dir) {
				roots.add(dir)
				addAll(dir)
			}
			return nil
		}
		return n, nil
	}
	return open, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Sorted(slices.Values(roots))
	}
}

// TestOneWatchForATree: on Windows one watch holds the worktree, so that its folders can be renamed.
func TestOneWatchForATree(t *testing.T) {
	d := newCheckout(t)
	d.write("x/y/a.go", "a")
	d.write(".gitignore", "build/\n")
	d.write("build/deep/o", "o")
	d.commit("first")
	d.age()
	open, held := treeOf(t)
	s := d.watch(WatchOptions{}, func(w *Watcher) { w.open = open })
	if got := held(); !slices.Equal(got, []string{d.root}) {
		t.Errorf("watches %q, want only the worktree", got)
	}
	d.write("build/deep/o", "oo")
	d.write("build/deep/new/o", "oo")
	d.write("x/y/b.go", "b")
	s.expect("save x/y/b.go")
	d.rename("x", "z")
	s.expect("rename x/y/a.go z/y/a.go", "rename x/y/b.go z/y/b.go")
	d.write("new/c.go", "later")
	d.git("checkout", "-q", "-b", "other")
	s.expect("save new/c.go", "branch other")
	if got := held(); !slices.Equal(got, []string{d.root}) {
		t.Errorf("watches %q, want only the worktree", got)
	}
}

// TestIgnoredNoise: a build that writes into an ignored folder all the time does not delay a save.
func TestIgnoredNoise(t *testing.T) {
	d := newCheckout(t)
	d.write("a.go", "x")
	d.write(".gitignore", "build/\n")
	d.write("build/o", "x")
	d.commit("first")
	if err := os.Chtimes(d.abs("a.go"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRepo(t.Context(), d.root, d.env)
	if err != nil {
		t.Fatal(err)
	}
	r.loadRules() // outside of the false clock
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, events := reportedWatcher(r, true)
		var after []time.Duration
		begin := time.Now()
		done := make(chan error)
		go func() {
			done <- w.Run(ctx, func([]event.Event) { after = append(after, time.Since(begin)) }, func() {})
		}()
		<-w.ready
		d.write("a.go", "xx")
		begin = time.Now()
		events <- fsnotify.Event{Name: d.abs("a.go"), Op: fsnotify.Write}
		for i := range 500 {
			events <- fsnotify.Event{Name: d.abs(fmt.Sprintf("build/o%d", i)), Op: fsnotify.Write}
			<-time.After(10 * time.Millisecond) // in a synctest bubble
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if want := []time.Duration{100 * time.Millisecond}; !slices.Equal(after, want) {
			t.Errorf("saved after %v, want %v", after, want)
		}
	})
}
