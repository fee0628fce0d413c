package eval

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// testRepo is a real repository in a folder of its own.
type testRepo struct {
	*testing.T
	dir string
	env []string
	n   int
}

func newTestRepo(t *testing.T) *testRepo {
	d := &testRepo{T: t, dir: t.TempDir()}
	d.env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "HOME="+t.TempDir(),
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	d.git("init", "-q", "-b", "main")
	return d
}

func (d *testRepo) git(args ...string) {
	d.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = d.dir
	cmd.Env = append(slices.Clone(d.env), fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", noon.Unix()+int64(d.n)))
	if out, err := cmd.CombinedOutput(); err != nil {
		d.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func (d *testRepo) write(name, text string) {
	d.Helper()
	file := filepath.Join(d.dir, name)
	fault.Check(d, os.MkdirAll(filepath.Dir(file), 0o755))
	fault.Check(d, os.WriteFile(file, []byte(text), 0o644))
}

func (d *testRepo) commit(subject string) {
	d.Helper()
	d.n++
	d.git("add", "-A")
	d.git("commit", "-qm", subject)
}

// TestHistory: names are those of their time, and the question about a commit comes before its renames are known.
func TestHistory(t *testing.T) {
	d := newTestRepo(t)
	long := string(bytes.Repeat([]byte("a line\n"), 40))
	d.write("old name.go", long)
	d.write("b.go", "b")
	d.commit("begin\twith tabs")
	d.write("b.go", "b2")
	d.git("mv", "old name.go", "new.go")
	d.commit("move")
	d.git("rm", "-q", "b.go")
	d.write("c.go", "c")
	d.commit("delete")
	s, err := History(t.Context(), "x", d.dir, d.env, func(p event.Path) bool { return p == "c.go" })
	fault.Check(t, err)
	var got []string
	for _, e := range s.Commits {
		got = append(got, fmt.Sprintf("%s %s%v%v%v", e.Kind(), e.Text(), e.From(), e.Paths(), e.Gone()))
	}
	want := []string{"commit begin\twith tabs[][b.go old name.go][]", "rename [old name.go][new.go][]",
		"commit move[][b.go new.go][]", "commit delete[][][b.go]"}
	fault.Same(t, "read", got, want)
}
