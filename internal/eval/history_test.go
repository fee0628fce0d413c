package eval

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// newTestRepo is a repository whose commands are a second apart, from noon on.
func newTestRepo(t *testing.T) *repotest.Repo {
	d, now := repotest.New(t), noon
	d.Now = func() time.Time { now = now.Add(time.Second); return now }
	return d
}

// TestHistory: names are those of their time, and the question about a commit comes before its
// renames are known.
func TestHistory(t *testing.T) {
	d := newTestRepo(t)
	long := string(bytes.Repeat([]byte("a line\n"), 40))
	d.Write("old name.go", long)
	d.Write("b.go", "b")
	d.Commit("begin\twith tabs")
	d.Write("b.go", "b2")
	d.Git("mv", "old name.go", "new.go")
	d.Commit("move")
	d.Git("rm", "-q", "b.go")
	d.Write("c.go", "c")
	d.Commit("delete")
	s, err := History(t.Context(), "x", d.Dir, d.Env, func(p event.Path) bool { return p == "c.go" })
	fault.Check(t, err)
	var got []string
	for _, e := range s.Commits {
		got = append(got, fmt.Sprintf("%s %s%v%v%v", e.Kind(), e.Text(), e.From(), e.Paths(), e.Gone()))
	}
	want := []string{"commit begin\twith tabs[][b.go old name.go][]", "rename [old name.go][new.go][]",
		"commit move[][b.go new.go][]", "commit delete[][][b.go]"}
	fault.Same(t, "read", got, want)
}
