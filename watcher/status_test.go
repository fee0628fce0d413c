package watcher

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestChanged: staged, unstaged, deleted, renamed and new files are the change; ignored, generated and committed
// ones are not.
func TestChanged(t *testing.T) {
	d := newRepository(t)
	for _, name := range []string{"same.go", "edited.go", "staged.go", "gone.go", "was.go"} {
		d.write(name, name)
	}
	d.write(".gitignore", "*.log\n")
	d.commit("first")
	r, err := OpenRepo(context.Background(), d.dir, d.env)
	fault.Check(t, err)
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
