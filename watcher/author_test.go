package watcher

import (
	"context"
	"testing"
)

// TestAuthors: who wrote which commit, under the names of .mailmap.
func TestAuthors(t *testing.T) {
	g := newRepository(t)
	if got, err := g.open().Authors(context.Background(), 10); err != nil || len(got) != 0 {
		t.Fatalf("without a commit: %v, %v", got, err)
	}
	first := g.commit("one", "a.txt")
	g.git("commit", "--quiet", "--allow-empty", "--author", "Old Name <ada@example.com>", "-m", "two")
	second := g.git("rev-parse", "HEAD")
	g.write(".mailmap", "Ädä <ada@example.com>\n")
	got, err := g.open().Authors(context.Background(), 10)
	if err != nil || len(got) != 2 || got[second] != "Ädä" || got[first] == "" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := g.open().Authors(context.Background(), 1); err != nil || len(got) != 1 || got[second] == "" {
		t.Errorf("the newest: %v, %v", got, err)
	}
}
