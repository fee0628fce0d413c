package watcher

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
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
