package watcher

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestRange: what commits change together, from where they branched off; what is staged.
func TestRange(t *testing.T) {
	d := repotest.New(t)
	d.Write("kept.go", "1")
	d.Write("gone.go", "1")
	d.Commit("first")
	d.Git("checkout", "-q", "-b", "work")
	d.Write("new.go", "1")
	d.Git("rm", "-q", "gone.go")
	d.Commit("second")
	d.Git("checkout", "-q", "-")
	d.Write("other.go", "1")
	d.Commit("elsewhere")
	r := open(d)
	statuses := func(files []FileChange) (out []string) {
		for _, f := range files {
			out = append(out, string(f.Status)+" "+string(f.Path))
		}
		return out
	}
	got, err := r.Range(t.Context(), "HEAD", "work")
	if diff := cmp.Diff([]string{"D gone.go", "A new.go"}, statuses(got.Files)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if files, err := r.Tree(t.Context(), got.Head); len(files) != 2 || err != nil {
		t.Errorf("%q, %v", files, err)
	}
	if _, err := r.Range(t.Context(), "--all", "work"); err == nil {
		t.Error("an option is a commit")
	}
	d.Write("kept.go", "2")
	d.Git("add", "kept.go")
	d.Write("kept.go", "3")
	staged, err := r.Staged(t.Context())
	if diff := cmp.Diff([]string{"M kept.go"}, statuses(staged)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if ids, err := r.IndexBlobs(t.Context(), []event.Path{"kept.go", "none.go"}); ids["kept.go"] != staged[0].Blob ||
		len(ids) != 1 || err != nil {
		t.Errorf("%v, %v", ids, err)
	}
}

// TestApply: a patch is applied at the root as a whole or not at all, whatever the settings of the
// repository say about whitespace, and taken back.
func TestApply(t *testing.T) {
	g := repotest.New(t)
	g.Write("in/a.txt", "one \ntwo\n")
	g.Write("b.txt", "b\n")
	g.Git("config", "apply.whitespace", "fix")
	r := open(g)
	patch := "diff --git a/in/a.txt b/in/a.txt\n--- a/in/a.txt\n+++ b/in/a.txt\n@@ -1,2 +1,2 @@\n-one \n+1 \n two\n"
	both := patch + "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,1 @@\n-x\n+y\n"
	says := func(want string) {
		t.Helper()
		raw := fault.Must(os.ReadFile(filepath.Join(g.Dir, "in", "a.txt")))
		fault.Same(t, "the file", string(raw), want)
	}
	if err := r.Apply(t.Context(), both); err == nil {
		t.Error("a part that does not fit is not an error")
	}
	fault.Check(t, r.Apply(t.Context(), patch, "--check"))
	says("one \ntwo\n")
	fault.Check(t, r.Apply(t.Context(), patch))
	says("1 \ntwo\n")
	fault.Check(t, r.Apply(t.Context(), patch, "-R"))
	says("one \ntwo\n")
}

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
