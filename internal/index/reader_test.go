package index

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// folder is a worktree on disk with a Reader.
type folder struct {
	t    *testing.T
	root event.Root
	tree *Tree
	*Reader
}

func newFolder(t *testing.T) *folder {
	root := event.Root(t.TempDir())
	return &folder{t, root, NewTree(nil), NewReader(root)}
}

func (f *folder) must(err error) {
	f.t.Helper()
	fault.Check(f.t, err)
}

func (f *folder) write(p event.Path, text string) {
	f.t.Helper()
	f.must(os.MkdirAll(filepath.Dir(f.root.Abs(p)), 0o700))
	f.must(os.WriteFile(f.root.Abs(p), []byte(text), 0o600))
}

// finds checks which files have an identifier.
func (f *folder) finds(name string, want ...event.Path) {
	f.t.Helper()
	got := f.Contents().withName(name)
	fault.Same(f.t, name, got, want)
}

func TestReader(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func openStore() {}")
	f.write("d/b.go", "func openStore() { closeStore() }")
	f.write("long.go", strings.Repeat("openStore() ", MaxDocument/10))
	f.write("late.go", "func openStore() {}")
	f.must(os.Symlink(f.root.Abs("a.go"), f.root.Abs("link.go")))
	f.tree.Add("a.go", "d/b.go", "long.go", "link.go", "gone.go")

	ctx, cancel := context.WithCancel(t.Context())
	ran, asked := make(chan error), make(chan bool)
	go func() { ran <- f.Run(ctx, func() *Tree { asked <- true; return f.tree }) }()
	<-asked
	f.Refresh()
	<-asked // the first round is over
	if !f.Wait(t.Context(), 0) {
		t.Error("all files were read, and the reader is not ready")
	}
	f.finds("openstore", "a.go", "d/b.go")

	f.write("a.go", "func renamed() { freshName() }")
	f.must(os.Remove(f.root.Abs("d/b.go")))
	f.tree.Remove("d/b.go")
	f.tree.Add("late.go")
	f.Refresh()
	<-asked
	cancel()
	f.must(<-ran)
	f.readAll(t.Context(), f.tree)
	f.finds("openstore", "late.go")
	f.finds("freshname", "a.go")
}

// TestUnreadable: a file that cannot be read says nothing, and is read as soon as it can be, also
// at the same time.
func TestUnreadable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it needs a file that even root cannot read")
	}
	r := NewReader("/proc/self")
	r.read("mem")
	if v, known := r.versions["mem"]; known {
		t.Errorf("it counts as read: %+v", v)
	}
}

// TestBlobAndText: the id and the text are those of what the file holds now, whatever its time.
func TestBlobAndText(t *testing.T) {
	f := newFolder(t)
	then := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	for text, id := range map[string]string{"hello\n": "ce013625030ba8dba906f756967f9e9ca394464a",
		"jello\n": "da643281e874ed4c68c6a5d2217d24f48f575b12"} {
		f.write("a.txt", text)
		f.must(os.Chtimes(f.root.Abs("a.txt"), then, then))
		fault.Same(t, "id", f.Blob("a.txt"), id)
		fault.Same(t, "text", string(f.Text("a.txt")), text)
	}
	f.write("long.txt", strings.Repeat("x", MaxDocument+1))
	f.must(os.Symlink(f.root.Abs("a.txt"), f.root.Abs("link.txt")))
	for _, p := range []event.Path{"long.txt", "link.txt", "gone.txt", "", "."} {
		fault.Same(t, "id of "+string(p), f.Blob(p), "")
		fault.Same(t, "a text of "+string(p), f.Text(p) != nil, false)
	}
}

func TestReaderFollowsEvents(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func openStore() {}")
	f.write("b.go", "func openStore() {}")
	f.Update(event.Event{Body: event.Save{Paths: []event.Path{"a.go", "b.go", "never.go"}}})
	f.finds("openstore", "a.go", "b.go")
	f.must(os.Rename(f.root.Abs("b.go"), f.root.Abs("c.go")))
	f.Update(event.Event{Body: event.Rename{From: []event.Path{"b.go"}, To: []event.Path{"c.go"}}})
	f.Update(event.Event{Body: event.Delete{Paths: []event.Path{"a.go"}}})
	f.finds("openstore", "c.go")
	f.Update(event.Event{Body: event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}})
	f.finds("openstore", "c.go")
}

func TestNearest(t *testing.T) {
	files := []event.Path{"b/x.go", "a/b/c.go", "z.go", "a.go", "a/y.go"}
	if got, want := nearest(files, 3), []event.Path{"a.go", "z.go", "a/y.go"}; !slices.Equal(got, want) {
		t.Errorf("nearest are %v, want %v", got, want)
	}
	if got := nearest(files, maxFiles); len(got) != len(files) {
		t.Errorf("%d of %d files", len(got), len(files))
	}
}
