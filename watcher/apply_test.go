package watcher

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

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
		raw, err := os.ReadFile(filepath.Join(g.Dir, "in", "a.txt"))
		fault.Check(t, err)
		fault.Same(t, "the file", string(raw), want)
	}
	if err := r.Apply(t.Context(), both); err == nil {
		t.Error("a part that does not fit is no error")
	}
	fault.Check(t, r.Apply(t.Context(), patch, "--check"))
	says("one \ntwo\n")
	fault.Check(t, r.Apply(t.Context(), patch))
	says("1 \ntwo\n")
	fault.Check(t, r.Apply(t.Context(), patch, "-R"))
	says("one \ntwo\n")
}
