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

// flags are those of the first run; replace takes one out for another.
func (d *stageSandbox) flags() []string {
	return []string{"--dep", "src/**/*.txt", "--dep", "!src/skip.txt", "--dep", "*.json", "--dep", "link.conf", "--dep",
		"absent.txt", "--dep", "ignored.cfg",
		"--input", "k=v", "--input", "l=w", "--env", "STAGE_MODE", "--tool", "./tool.sh version", "--model", "opus",
		"--template", "prompt.txt", "--out", "out/result.txt"}
}

func (d *stageSandbox) script() []string {
	return []string{"sh", "-c", `echo ran >>"` + d.runlog + `"; mkdir -p out; cat src/a.txt | tee out/result.txt`}
}

func (d *stageSandbox) runs() int {
	b, _ := os.ReadFile(d.runlog) // none: no run
	return strings.Count(string(b), "ran")
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

func swap(flags []string, old, new string) []string {
	i := slices.Index(flags, old)
	if i < 0 {
		panic("no flag " + old)
	}
	flags[i] = new
	return flags
}

// changed is one way in which something changes, and whether the step must run again.
type changed struct {
	name  string
	do    func(d *stageSandbox)
	flags func(d *stageSandbox, f []string) []string
	why   string // "" is a hit; else what the miss must say
}

func put(name, text string) func(*stageSandbox) { return func(d *stageSandbox) { d.write(name, text) } }

func sameTime(name string, change func(d *stageSandbox)) func(*stageSandbox) {
	return func(d *stageSandbox) {
		was := must2(os.Stat(d.path(name)))(d.T).ModTime()
		change(d)
		fault.Check(d.T, os.Chtimes(d.path(name), was, was))
	}
}

func steps(f ...func(d *stageSandbox)) func(*stageSandbox) {
	return func(d *stageSandbox) {
		for _, f := range f {
			f(d)
		}
	}
}

func remove(name string) func(*stageSandbox) {
	return func(d *stageSandbox) { fault.Check(d.T, os.RemoveAll(d.path(name))) }
}

func chmod(name string, mode os.FileMode) func(*stageSandbox) {
	return func(d *stageSandbox) { fault.Check(d.T, os.Chmod(d.path(name), mode)) }
}

func move(from, to string) func(*stageSandbox) {
	return func(d *stageSandbox) { fault.Check(d.T, os.Rename(d.path(from), d.path(to))) }
}

func linked(name, target string) func(*stageSandbox) {
	return func(d *stageSandbox) {
		_ = os.Remove(d.path(name)) // it may not be there
		fault.Check(d.T, os.Symlink(target, d.path(name)))
	}
}

func typed(old, new string) func(*stageSandbox, []string) []string {
	return func(_ *stageSandbox, f []string) []string { return swap(f, old, new) }
}

func plus(words ...string) func(*stageSandbox, []string) []string {
	return func(_ *stageSandbox, f []string) []string { return append(f, words...) }
}

// ways are what can become of an input.
func ways() []changed {
	return []changed{
		{name: "nothing"},
		{"content", put("src/a.txt", "ALPHA!\n"), nil, "file src/a.txt changed"},
		{"content of the same size", put("src/a.txt", "omega\n"), nil, "file src/a.txt changed"},
		{"content of the same size and time", sameTime("src/a.txt", put("src/a.txt", "omega\n")), nil,
			"file src/a.txt changed"},
		{"content there and back", steps(put("src/a.txt", "omega\n"), put("src/a.txt", "alpha\n")), nil, ""},
		{"only the time", put("src/a.txt", "alpha\n"), nil, ""},
		{"another file with that content", steps(remove("src/a.txt"), put("src/a.txt", "alpha\n")), nil, ""},
		{"executable", chmod("src/a.txt", 0o755), nil, "file src/a.txt is executable now"},
		{"readable by fewer", chmod("src/a.txt", 0o600), nil, ""},
		{"renamed", move("src/a.txt", "src/z.txt"), nil, "file src/z.txt is new"},
		{"renamed out of the pattern", move("src/a.txt", "src/a.md"), nil, "file src/a.txt is gone"},
		{"new matching file", put("src/new.txt", "n"), nil, "file src/new.txt is new"},
		{"new matching file in a new folder", put("src/x/y/z.txt", "n"), nil, "file src/x/y/z.txt is new"},
		{"new file that does not match", put("src/new.md", "n"), nil, ""},
		{"new matching file that is ignored", put("src/ignored.txt", "n"), nil, ""},
		{"the ignored one is tracked", steps(put("src/ignored.txt", "n"),
			func(d *stageSandbox) { d.git("add", "-f", "src/ignored.txt") }), nil, "src/ignored.txt is new"},
		{"it is ignored no more", steps(put("src/ignored.txt", "n"), put(".gitignore", "/out/\n")), nil,
			"src/ignored.txt is new"},
		{"new empty folder", func(d *stageSandbox) { fault.Check(d.T, os.Mkdir(d.path("src/empty"), 0o755)) }, nil, ""},
		{"deleted", remove("src/deep/b.txt"), nil, "src/deep/b.txt is gone"},
		{"file that was asked for and absent", put("absent.txt", ""), nil, "file absent.txt exists now"},
		{"file that is taken out again", put("src/skip.txt", "changed"), nil, ""},
		{"file that is not named", put("other.md", "changed"), nil, ""},
		{"generated file", put("package-lock.json", `{"a":1}`), nil, "package-lock.json changed"},
		{"ignored file that is named", put("ignored.cfg", "x=2\n"), nil, "ignored.cfg changed"},
		{"named file is deleted", remove("ignored.cfg"), nil, "ignored.cfg was deleted"},
		{"link to another file", linked("link.conf", "second.conf"), nil, "link.conf changed"},
		{"what the link points to", put("real.conf", "ONE\n"), nil, "link.conf changed"},
		{"link becomes a file", steps(remove("link.conf"), put("link.conf", "one\n")), nil, "link.conf is a plain file now"},
		{"link to nothing", remove("real.conf"), nil, "link.conf changed"},
		{"output", put("out/result.txt", "spoiled"), nil, ""},
		{"input value", nil, typed("k=v", "k=V"), "input k changed"},
		{"input name", nil, typed("k=v", "K=v"), "input K is new"},
		{"one input more", nil, plus("--input", "m=1"), "input m is new"},
		{"inputs in another order", nil, func(d *stageSandbox, f []string) []string {
			return swap(swap(swap(f, "k=v", "-"), "l=w", "k=v"), "-", "l=w")
		}, ""},
		{"patterns in another order", nil, func(d *stageSandbox, f []string) []string {
			return swap(swap(swap(f, "*.json", "-"), "absent.txt", "*.json"), "-", "absent.txt")
		}, ""},
		{"variable", func(d *stageSandbox) { d.env = append(d.env, "STAGE_MODE=fast") }, nil, "env STAGE_MODE is set now"},
		{"variable that is empty", func(d *stageSandbox) { d.env = append(d.env, "STAGE_MODE=") }, nil,
			"env STAGE_MODE is set now"},
		{"variable that is not named", func(d *stageSandbox) { d.env = append(d.env, "STAGE_OTHER=fast") }, nil, ""},
		{"one variable more", nil, plus("--env", "STAGE_OTHER"), "env STAGE_OTHER is new"},
		{"template", put("prompt.txt", "do that\n"), nil, "template changed"},
		{"template elsewhere with that text", move("prompt.txt", "p2.txt"), typed("prompt.txt", "p2.txt"), ""},
		{"version of the tool", steps(put("tool.sh", "#!/bin/sh\necho 1.1\n"), chmod("tool.sh", 0o755)), nil, "tool changed"},
		{"tool of the same version", steps(put("tool.sh", "#!/bin/sh\n# new\necho 1.0\n"), chmod("tool.sh", 0o755)), nil, ""},
		{"model", nil, typed("opus", "haiku"), "model changed"},
		{"declared output", nil, typed("out/result.txt", "out"), "output out is new"},
		{"age", nil, plus("--ttl", "1ms"), "the ttl is 1ms"},
		{"any age", nil, plus("--ttl", "0"), ""},
		{"asked to run", nil, plus("--refresh"), "in any case"},
		{"commit", func(d *stageSandbox) { d.git("add", "-A"); d.git("commit", "-qm", "more", "--allow-empty") }, nil, ""},
		{"branch", func(d *stageSandbox) { d.git("checkout", "-q", "-B", "side") }, nil, ""},
		{"untracked, and not ignored", func(d *stageSandbox) { d.git("rm", "-q", "--cached", "src/a.txt") }, nil, ""},
		{"another daemon", func(d *stageSandbox) { d.must("daemon", "stop") }, nil, ""},
	}
}

// TestStageWays: each way in which an input can change makes the step run again, and nothing else does.
func TestStageWays(t *testing.T) {
	noRace(t)
	t.Parallel()
	d := newStageSandbox(t)
	first := d.stage("s", d.flags(), d.script()...)
	if first.Hit || !first.Kept || d.runs() != 1 {
		t.Fatalf("the first run: %+v, %d runs", first, d.runs())
	}
	env := slices.Clone(d.env)
	for _, w := range ways() {
		d.lay()
		d.env = slices.Clone(env)
		d.git("read-tree", "HEAD")
		if got := d.stage("s", d.flags(), d.script()...); !got.Hit {
			t.Fatalf("before %q: a miss: %s", w.name, got.Miss)
		}
		before := d.runs()
		if w.do != nil {
			w.do(d)
		}
		flags := d.flags()
		if w.flags != nil {
			flags = w.flags(d, flags)
		}
		got := d.stage("s", flags, d.script()...)
		ran := d.runs() - before
		switch {
		case w.why == "" && (!got.Hit || ran != 0):
			t.Errorf("%s: ran %d times: %s", w.name, ran, got.Miss)
		case w.why != "" && (got.Hit || ran != 1):
			t.Errorf("%s: hit %v, ran %d times", w.name, got.Hit, ran)
		case !strings.Contains(got.Miss, w.why):
			t.Errorf("%s: the miss says %q, not %q", w.name, got.Miss, w.why)
		case !strings.Contains(w.name, "age") && w.why != "" && d.content("out/result.txt") != got.Stdout:
			t.Errorf("%s: the output is not that of the run", w.name)
		}
		if w.name == "output" && d.content("out/result.txt") != "alpha\n" {
			t.Error("a spoiled output is not restored")
		}
		if got.Key != first.Key {
			d.must("stage", "rm", got.Key) // the newest result is the first run's again
		}
	}
	if len(ways()) < 45 {
		t.Errorf("only %d ways", len(ways()))
	}
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
