package watcher

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestEdits: what files change against HEAD, kept until HEAD or the file changes; a known file
// starts no process.
func TestEdits(t *testing.T) {
	d := repotest.New(t)
	d.Write("a b.go", "package a\n\nfunc OldName() {}\n")
	d.Write("same.go", "package a\n\nfunc SameName() {}\n")
	d.Write("gone.go", "package a\n\nfunc GoneName() {}\n")
	d.Commit("first")
	d.Write("a b.go", "package a\n\nfunc NewName() {}\n")
	d.Write("fresh.go", "package a\n\nfunc FreshName() {}\n")
	d.Remove("gone.go")
	r := open(d)
	e := NewEdits(r, func(p event.Path) bool { return p != "stranger.go" },
		func() time.Time { return time.Now().Add(time.Hour) }) // no file is too young to be kept
	defer e.Close()
	files := []event.Path{"a b.go", "same.go", "gone.go", "fresh.go", "line\nbreak.go", "stranger.go"}
	look := func(want map[event.Path][2]string) {
		t.Helper()
		found := map[event.Path]index.Changed{}
		for _, c := range e.Compare(t.Context(), files) {
			found[c.Path] = c
		}
		for f, w := range want {
			texts := [2][]byte{}
			for i, name := range w {
				if name != "" {
					texts[i] = []byte("package a\n\nfunc " + name + "() {}\n")
				}
			}
			c, known := found[f]
			if !known || !reflect.DeepEqual(c, index.Compare(f, texts[0], texts[1])) {
				t.Errorf("%s: %+v (known: %t), want %q", f, c, known, w)
			}
		}
	}
	d.Write("stranger.go", "package a")
	first := map[event.Path][2]string{"a b.go": {"OldName", "NewName"}, "same.go": {"SameName", "SameName"},
		"gone.go": {"GoneName", ""}, "fresh.go": {"", "FreshName"}}
	look(first)
	if found := e.Compare(t.Context(), files); len(found) != len(first) {
		t.Errorf("files that cannot be told are compared: %v", found)
	}
	e.Close()
	look(first)
	if e.blobs != nil {
		t.Error("a git process was started for files that are known")
	}
	d.Write("a b.go", "package a\n\nfunc Third() {}\n")
	look(map[event.Path][2]string{"a b.go": {"OldName", "Third"}})
	d.Commit("second")
	look(map[event.Path][2]string{"a b.go": {"Third", "Third"}, "fresh.go": {"FreshName", "FreshName"}})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if found := e.Compare(gone, files); len(found) > 0 {
		t.Errorf("it was answered after the caller had left: %v", found)
	}
}
