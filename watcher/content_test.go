package watcher

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// restore does what hooks for commits do with changes that are not staged: it puts them away and writes them back,
// without git's lock.
func (g *repository) restore(t *testing.T, s *watching, file string) {
	t.Helper()
	patch := filepath.Join(t.TempDir(), "patch")
	g.git("diff", "--binary", "--output="+patch)
	g.git("checkout", "--", ".")
	s.expect() // the hook runs for a while
	g.git("apply", patch)
	if out := g.git("status", "--porcelain"); out == "" {
		t.Fatalf("%s was not restored", file)
	}
	s.expect()
}

// TestSaveOfTheSameContent: a save that leaves a file as it was last saved is none, whoever writes.
func TestSaveOfTheSameContent(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "one\n")
	d.write("b.go", "one\n")
	d.write("dirty.go", "one\n")
	d.commit("first")
	d.git("branch", "other")
	d.write("dirty.go", "changed before the start\n")
	d.age()
	s := d.watch(WatchOptions{})

	d.write("a.go", "mine\n")
	s.expect("save a.go")
	d.restore(t, s, "a.go")
	d.restore(t, s, "a.go")

	d.git("commit", "-q", "--allow-empty", "-m", "of something else")
	d.git("checkout", "-q", "-b", "topic")
	s.expect("checkout topic")
	d.restore(t, s, "a.go") // HEAD has moved, the file is still not committed

	d.git("checkout", "-q", "other")
	s.expect("checkout other")
	d.git("checkout", "-q", "main")
	s.expect("checkout main")

	later := time.Now().Add(time.Minute)
	fault.Check(t, os.Chtimes(d.abs("a.go"), later, later))
	s.expect()
	d.write("a.go", "mine again\n")
	s.expect("save a.go")
	d.write("a.go", "mine\n") // as it was the time before, and not as it was last
	s.expect("save a.go")

	fault.Check(t, os.Rename(d.abs("a.go"), d.abs("moved.go")))
	s.expect("rename a.go moved.go")
	d.write("moved.go", "mine\n")
	s.expect()
	d.write("b.go", "mine\n")
	s.expect("save b.go")
	d.remove("b.go")
	s.expect("delete b.go")
	d.write("b.go", "mine\n") // it comes back: that is work
	s.expect("save b.go")
}

// TestSaveBackToWhatGitReplaced: what git brought lies between, so writing the earlier content is work.
func TestSaveBackToWhatGitReplaced(t *testing.T) {
	d := newRepository(t)
	d.write("a.go", "one\n")
	d.commit("first")
	d.git("checkout", "-q", "-b", "other")
	d.write("a.go", "theirs\n")
	d.commit("theirs")
	d.git("checkout", "-q", "main")
	d.age()
	s := d.watch(WatchOptions{})
	d.write("a.go", "mine\n")
	s.expect("save a.go")
	d.git("checkout", "--", "a.go")
	s.expect()
	d.git("merge", "-q", "other")
	s.expect()
	d.write("a.go", "mine\n")
	s.expect("save a.go")
}
