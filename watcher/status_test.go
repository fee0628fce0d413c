package watcher

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestChanged: staged, unstaged, deleted, renamed and new files are the change; ignored, generated and committed
// ones are not.
func TestChanged(t *testing.T) {
	d := newCheckout(t)
	for _, name := range []string{"same.go", "edited.go", "staged.go", "gone.go", "was.go"} {
		d.write(name, name)
	}
	d.write(".gitignore", "*.log\n")
	d.commit("first")
	r, err := OpenRepo(context.Background(), d.root, d.env)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Changed(context.Background()); err != nil || len(got) != 0 {
		t.Fatalf("a clean worktree has changes: %v %v", got, err)
	}
	d.write("edited.go", "else")
	d.write("staged.go", "else")
	d.git("add", "staged.go")
	d.remove("gone.go")
	d.git("mv", "was.go", "is.go")
	d.write("new/deep/file with space.go", "new")
	d.write("noise.log", "x")
	d.write("node_modules/x/index.js", "x")
	got, err := r.Changed(context.Background())
	want := []event.Path{"edited.go", "gone.go", "is.go", "new/deep/file with space.go", "staged.go", "was.go"}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// TestCommitted: what files hold in HEAD; a new file has nothing there, a large one is not known.
func TestCommitted(t *testing.T) {
	d := newCheckout(t)
	d.write("a b.go", "one\ntwo\n")
	d.write("empty.go", "")
	d.write("large.go", "more than eight bytes")
	d.commit("first")
	d.write("a b.go", "three\n")
	d.write("new.go", "new")
	r, err := OpenRepo(context.Background(), d.root, d.env)
	if err != nil {
		t.Fatal(err)
	}
	got, known, err := r.Committed(context.Background(), []event.Path{"new.go", "large.go", "a b.go", "empty.go",
		"line\nbreak.go"}, 8)
	if err != nil || string(got["a b.go"]) != "one\ntwo\n" || len(got) != 2 {
		t.Errorf("%q, %v", got, err)
	}
	want := map[event.Path]bool{"new.go": true, "a b.go": true, "empty.go": true}
	if d := cmp.Diff(want, known); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
