package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// stageSandbox is a stage over a small tree, that can be laid out again.
type stageSandbox struct {
	*sandbox
	runlog string // a line for each run
}

func newStageSandbox(t *testing.T) *stageSandbox {
	d := &stageSandbox{sandbox: newSandbox(t, 1)}
	d.runlog = filepath.Join(filepath.Dir(d.dir), "log")
	d.lay()
	d.git("add", "-A")
	d.git("commit", "-qm", "base")
	d.must("init")
	return d
}

// lay puts the worktree into its first state.
func (d *stageSandbox) lay() {
	d.Helper()
	for _, e := range must2(os.ReadDir(d.dir))(d.T) {
		if e.Name() != ".git" {
			fault.Check(d.T, os.RemoveAll(filepath.Join(d.dir, e.Name())))
		}
	}
	for name, text := range map[string]string{"src/a.txt": "alpha\n", "src/deep/b.txt": "beta\n", "src/skip.txt": "skip\n",
		"other.md":          "other\n",
		"package-lock.json": "{}\n", "real.conf": "one\n", "second.conf": "two\n", "prompt.txt": "do it\n",
		".gitignore": "ignored*\n/out/\n",
		"tool.sh":    "#!/bin/sh\necho 1.0\n", "ignored.cfg": "x=1\n"} {
		d.write(name, text)
	}
	fault.Check(d.T, os.Symlink("real.conf", filepath.Join(d.dir, "link.conf")))
	fault.Check(d.T, os.Chmod(filepath.Join(d.dir, "tool.sh"), 0o755))
}

func must2[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T { t.Helper(); fault.Check(t, err); return v }
}

func (d *stageSandbox) path(name string) string {
	return filepath.Join(d.dir, filepath.FromSlash(name))
}

// stageSaid is the JSON of stage run.
type stageSaid struct {
	Hit, Kept bool
	Miss      string
	NotKept   string `json:"not_kept"`
	Stdout    string
	Exit      int
	Key       string
}

func (d *stageSandbox) stage(name string, flags []string, command ...string) stageSaid {
	d.Helper()
	s := d.do(slices.Concat([]string{"stage", "run", name, "--json"}, flags, []string{"--"}, command)...)
	var out stageSaid
	if err := json.Unmarshal([]byte(s.out), &out); err != nil {
		d.Fatalf("exit %d, %v in %q\n%s", s.code, err, s.out, s.err)
	}
	return out
}

func remove(name string) func(*stageSandbox) {
	return func(d *stageSandbox) { fault.Check(d.T, os.RemoveAll(d.path(name))) }
}

func (d *stageSandbox) content(name string) string {
	b, err := os.ReadFile(d.path(name))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestStageOfAnother: name, words and folder are part of the key; a linked worktree shares.
func TestStageOfAnother(t *testing.T) {
	t.Parallel()
	d := newStageSandbox(t)
	dep := []string{"--dep", "src/a.txt"}
	if d.stage("s", dep, "cat", "src/a.txt").Hit || !d.stage("s", dep, "cat", "src/a.txt").Hit {
		t.Fatal("the second run is not a hit")
	}
	got := d.stage("s", dep, "cat", "src/a.txt", "other.md")
	if got.Hit || !strings.Contains(got.Miss, "command changed") {
		t.Errorf("another word: %+v", got)
	}
	d.must("stage", "rm", got.Key)
	if d.stage("r", dep, "cat", "src/a.txt").Hit {
		t.Error("another stage hits")
	}
	in := *d.sandbox
	in.dir = d.path("src")
	if s := in.do("stage", "run", "s", "--dep", "a.txt", "--", "cat", "src/a.txt"); s.code != 1 ||
		!strings.Contains(s.err, "folder changed") {
		t.Errorf("another folder: %+v", s)
	}
	d.git("worktree", "add", "-q", "--detach", "../w")
	in.dir = filepath.Join(filepath.Dir(d.dir), "w")
	s := in.do("stage", "run", "s", "--json", "--dep", "src/a.txt", "--", "cat", "src/a.txt")
	if !strings.Contains(s.out, `"hit": true`) {
		t.Errorf("in a linked worktree: %+v", s)
	}
}

// TestStageStreams: what was printed comes back in its order, on its stream; files with their modes.
func TestStageStreams(t *testing.T) {
	t.Parallel()
	d := newStageSandbox(t)
	args := []string{"stage", "run", "s", "-q", "--out", "made", "--out", "tool2", "--", "sh", "-c",
		`echo one; echo two >&2; printf '\000\377'; mkdir -p made/deep; echo x >made/deep/x; chmod 751 made/deep/x; ln -s x made/deep/l; echo t >tool2`}
	first := d.do(args...)
	if first.code != 0 || first.out != "one\n\x00\xff" || first.err != "two\n" {
		t.Fatalf("the run: %+v", first)
	}
	remove("made")(d)
	remove("tool2")(d)
	again := d.do(args...)
	fault.Same(t, "played back it is another one", again, first, cmp.AllowUnexported(said{}))
	if st := must2(os.Stat(d.path("made/deep/x")))(t); st.Mode().Perm() != 0o751 {
		t.Errorf("mode %v", st.Mode())
	}
	if target := must2(os.Readlink(d.path("made/deep/l")))(t); target != "x" || d.content("tool2") != "t\n" {
		t.Errorf("link to %q, file %q", target, d.content("tool2"))
	}
}
