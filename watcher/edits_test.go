package watcher

import (
	"context"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// TestEdits: what files change against HEAD, kept until HEAD or the file changes; a known file starts no process.
func TestEdits(t *testing.T) {
	d := newRepository(t)
	d.write("a b.go", "package a\n\nfunc OldName() {}\n")
	d.write("same.go", "package a\n\nfunc SameName() {}\n")
	d.write("gone.go", "package a\n\nfunc GoneName() {}\n")
	d.commit("first")
	d.write("a b.go", "package a\n\nfunc NewName() {}\n")
	d.write("fresh.go", "package a\n\nfunc FreshName() {}\n")
	d.remove("gone.go")
	r, err := OpenRepo(context.Background(), d.dir, d.env)
	if err != nil {
		t.Fatal(err)
	}
	e := NewEdits(r, func(p event.Path) bool { return p != "stranger.go" },
		func() time.Time { return time.Now().Add(time.Hour) }) // no file is too young to be kept
	defer e.Close()
	files := []event.Path{"a b.go", "same.go", "gone.go", "fresh.go", "line\nbreak.go", "stranger.go"}
	names := func(edits []index.Edit) (out string) {
		for _, e := range edits {
			if e.Removed && e.Defined {
				out += "-" + e.Text
			}
			if e.Added && e.Defines {
				out += "+" + e.Text
			}
		}
		return out
	}
	look := func(want map[event.Path]string) {
		t.Helper()
		got := e.Find(t.Context(), files)
		for f, w := range want {
			if edits, known := got[f]; !known || names(edits) != w {
				t.Errorf("%s: %q (known: %t), want %q", f, names(edits), known, w)
			}
		}
	}
	d.write("stranger.go", "package a")
	first := map[event.Path]string{"a b.go": "-OldName+NewName", "same.go": "", "gone.go": "-GoneName", "fresh.go": "+FreshName"}
	look(first)
	if found := e.Find(t.Context(), files); len(found) != len(first) {
		t.Errorf("files that cannot be told have edits: %v", found)
	}
	e.Close()
	look(first)
	if e.blobs != nil {
		t.Error("a git process was started for files that are known")
	}
	d.write("a b.go", "package a\n\nfunc Third() {}\n")
	look(map[event.Path]string{"a b.go": "-OldName+Third"})
	d.commit("second")
	look(map[event.Path]string{"a b.go": "", "fresh.go": ""})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if found := e.Find(gone, files); len(found) > 0 {
		t.Errorf("nobody waits any more, and it was answered: %v", found)
	}
}
