package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestKey: what a key depends on, each alone, and what it does not depend on. The first key is a
// golden one: another makes every kept result of every user a miss.
func TestKey(t *testing.T) {
	value, empty := "v", ""
	base := Request{Stage: "s", Command: []string{"go", "test"}, Dir: "d", Inputs: map[string]string{"a": "1", "b": "2"},
		Env: map[string]*string{"SET": &value, "UNSET": nil}, Outputs: []string{"out", "bin"}, Text: "template", Model: "m",
		Tool: Tool{Command: "go version", Version: "1.26"}}
	files := keyParts{{kindFile, "x", digest("x")}}
	sum := func(file string) (string, error) { return digest(file), nil }
	key := func(change func(r *Request)) string {
		r := base
		change(&r)
		return fault.Must(r.parts(files, sum)).key()
	}
	first := key(func(*Request) {})
	fault.Same(t, "the key of a request", first, "78cab8009be1d7efa00b6d9c")
	seen := map[string]string{first: "nothing"}
	for what, change := range map[string]func(r *Request){
		"the stage":    func(r *Request) { r.Stage = "t" },
		"words":        func(r *Request) { r.Command = []string{"go test"} },
		"the folder":   func(r *Request) { r.Dir = "" },
		"an input":     func(r *Request) { r.Inputs = map[string]string{"a": "1", "b": "3"} },
		"a variable":   func(r *Request) { r.Env = map[string]*string{"SET": &empty, "UNSET": nil} },
		"an unset one": func(r *Request) { r.Env = map[string]*string{"SET": nil, "UNSET": nil} },
		"an output":    func(r *Request) { r.Outputs = []string{"out"} },
		"a text":       func(r *Request) { r.Text = "other" },
		"a file":       func(r *Request) { r.Template = "/template" },
		"a version":    func(r *Request) { r.Tool.Version = "1.27" },
		"a model":      func(r *Request) { r.Model = "" },
	} {
		if k := key(change); seen[k] != "" {
			t.Errorf("%s: the key is that of %s", what, seen[k])
		} else {
			seen[k] = what
		}
	}
	for what, change := range map[string]func(r *Request){
		"the order of outputs": func(r *Request) { r.Outputs = []string{"bin", "out", "bin"} },
		"words for people":     func(r *Request) { r.Shown, r.TTL, r.Refresh = "shown", 5, true },
		"the tool's program":   func(r *Request) { r.Tool.Command, r.Tool.Path = "other", "/bin/other" },
	} {
		fault.Same(t, what+" changes nothing", key(change), first)
	}
}

// TestDifferences: a change of each kind, in words.
func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		was, is keyPart
		want    string
	}{
		{keyPart{kindFile, "a", "1"}, keyPart{kindFile, "a", "1"}, ""},
		{keyPart{kindFile, "a", "1"}, keyPart{kindFile, "a", "2"}, "file a changed"},
		{keyPart{kindFile, "a", "1"}, keyPart{kindProgram, "a", "1"}, "file a is executable now"},
		{keyPart{kindProgram, "a", "1"}, keyPart{kindFile, "a", "1"}, "file a is a plain file now"},
		{keyPart{kindProgram, "a", "1"}, keyPart{kindLink, "a", "1"}, "file a is a link now"},
		{keyPart{kindFile, "a", "1"}, keyPart{kindAbsent, "a", ""}, "file a was deleted"},
		{keyPart{kindAbsent, "a", ""}, keyPart{kindLink, "a", "1"}, "file a exists now"},
		{keyPart{kindAbsent, "a", ""}, keyPart{kindAbsent, "a", ""}, ""},
		{keyPart{kindStage, "", "1"}, keyPart{kindAbsent, "a", ""}, "file a is required and missing; stage is gone"},
		{keyPart{kindStage, "", "1"}, keyPart{kindFile, "a", ""}, "file a is new; stage is gone"},
		{keyPart{kindEnv, "A", "1"}, keyPart{kindNoEnv, "A", ""}, "env A is not set any more"},
		{keyPart{kindNoEnv, "A", ""}, keyPart{kindEnv, "A", "1"}, "env A is set now"},
		{keyPart{kindCommand, "", "1"}, keyPart{kindCommand, "", "2"}, "command changed"},
	} {
		var words []string
		for _, x := range differences(keyParts{c.was}, keyParts{c.is}) {
			words = append(words, x.String())
		}
		fault.Same(t, fmt.Sprintf("%v, then %v", c.was, c.is), strings.Join(words, "; "), c.want)
	}
}

// TestMisses: why a step runs, after each change on the disk; a bit, a link, a template and a tool
// are among them.
func TestMisses(t *testing.T) {
	r := newFixture(t)
	in := func(name string) string { return filepath.Join(r.root, name) }
	fault.Write(t, in("template"), "one")
	fault.Write(t, in("tool"), "program")
	fault.Check(t, os.Symlink("src/a.go", in("link")))
	q := Request{Stage: "s", Command: []string{"true"}, Deps: []string{"src/*.go", "link", "gone", "none*",
		"!src/no.go"}, Template: in("template"), Inputs: map[string]string{"n": "1"}, Tool: Tool{Command: "tool -v",
		Path: in("tool"), Version: "1"}}
	expect := func(want string) {
		t.Helper()
		r.clock.at = r.clock.at.Add(time.Minute)
		got := r.turn(q)
		fault.Same(t, "why it runs", got.Miss, want)
		fault.Same(t, "idle", got.Idle, []string{"gone", "none*"})
		if !got.Hit {
			r.keep(q, got, "out")
		}
		if got := r.turn(q); !got.Hit || got.Entry.Bytes != 3 || got.Entry.Duration != 1000 || got.Entry.Stage != "s" {
			t.Fatalf("after %q: %+v", want, got)
		}
	}
	expect("no result of it is stored yet")
	fault.Check(t, os.Chmod(in("src/a.go"), 0o755))
	expect("file link changed, and 1 more") // it leads to a program now
	fault.Write(t, in("src/b.go"), "other")
	expect("file src/b.go changed")
	fault.Write(t, in("src/new.go"), "new")
	fault.Write(t, in("src/no.go"), "not asked for")
	expect("file src/new.go is new")
	fault.Check(t, os.Remove(in("src/new.go")))
	expect("") // the result of before is still kept
	fault.Check(t, os.Remove(in("link")))
	fault.Check(t, os.Symlink("src/b.go", in("link")))
	expect("file link changed, and 1 more")
	fault.Write(t, in("template"), "two")
	expect("template changed")
	q.Inputs["n"], q.Model = "2", "m"
	expect("input n changed, and 1 more")
	q.Tool.Version = "2"
	expect("tool changed") // although its program did not
	q.Tool.Version = ""
	expect("") // the version is remembered
	q.Refresh = true
	fault.Same(t, "asked to run", r.turn(q).Miss, "asked to run in any case")
}

// TestAges: how long a result counts, and how often it was used.
func TestAges(t *testing.T) {
	r := newFixture(t)
	q := r.request()
	r.keep(q, r.turn(q), "out")
	for _, c := range []struct {
		ttl  int64
		want string
	}{{0, ""}, {120_001, ""}, {120_000, "the kept result is 2m0s old, the ttl is 2m0s"}, {1,
		"the kept result is 2m0s old, the ttl is 1ms"}} {
		r.clock.at = r.clock.at.Add(2*time.Minute - r.clock.at.Sub(r.first()))
		q.TTL = c.ttl
		got := r.turn(q)
		got.Release()
		fault.Same(t, fmt.Sprint("with a ttl of ", c.ttl), got.Miss, c.want)
	}
	r.clock.at = r.clock.at.Add(-time.Hour) // clocks go back
	if q.TTL = 1; !r.turn(q).Hit {
		t.Error("a result of the future is old")
	}
	q.TTL = 0
	if got := r.turn(q); got.Entry.Hits != 4 {
		t.Errorf("%d hits", got.Entry.Hits)
	}
	for name, want := range map[string]int{"nothing": 0, "s": 1} {
		n, err := r.c.Drop(t.Context(), name)
		if fault.Same(t, "dropped of "+name, n, want); errors.Is(err, ErrNoEntry) != (want == 0) {
			t.Error(err)
		}
	}
}

// first is when the only result was kept.
func (r *fixture) first() time.Time {
	return fault.Must(r.c.List(r.Context(), "s", 1))[0].Created
}

// TestWhy: what changed since the newest result, without a run.
func TestWhy(t *testing.T) {
	r := newFixture(t)
	q := r.request()
	q.Inputs, q.Model = map[string]string{"n": "1"}, "m" // not on the disk
	if _, err := r.c.Why(t.Context(), r.place, Request{Stage: "s"}); !errors.Is(err, ErrNoEntry) {
		t.Error(err)
	}
	r.keep(q, r.turn(q), "out")
	why := func(want string, total int) {
		t.Helper()
		r.clock.at = r.clock.at.Add(time.Minute)
		w := fault.Must(r.c.Why(t.Context(), r.place, Request{Stage: "s"}))
		fault.Same(t, "why", fmt.Sprint(w.Miss, " ", w.Hit, " ", w.Total, " ", len(w.Changes)),
			fmt.Sprint(want, " ", total == 0, " ", total, " ", min(total, 100)))
	}
	why("", 0)
	for i := range 101 {
		fault.Write(t, filepath.Join(r.root, fmt.Sprintf("src/c%03d.go", i)), "c")
	}
	why("file src/c000.go is new", 101)
	fault.Same(t, "of a command the key", fault.Must(r.c.Why(t.Context(), r.place, q)).Key, r.turn(q).Key)
	for _, q := range []Request{{}, {Stage: "other"}} {
		if _, err := r.c.Why(t.Context(), r.place, q); !errors.Is(err, ErrNoEntry) {
			t.Errorf("%q: %v", q.Stage, err)
		}
	}
}

// TestRequests: what can never work is refused, with what to change.
func TestRequests(t *testing.T) {
	many := func(n int) []string { return slices.Repeat([]string{"x"}, n) }
	inputs := func(n int) map[string]string {
		m := map[string]string{}
		for i := range n {
			m[fmt.Sprint(i)] = ""
		}
		return m
	}
	one := map[string]*string{"A": nil}
	for _, c := range []struct {
		r    Request // of the stage s and one word, if it has none
		want string  // "": it works
	}{
		{Request{Command: many(10_000), Deps: many(999), Outputs: []string{"y"}, Inputs: inputs(999), Env: one}, ""},
		{Request{Command: many(10_001)}, "10001 words"}, {Request{Command: many(0)}, "0 words"},
		{Request{Deps: many(1000), Outputs: []string{"y"}}, "1001 patterns"},
		{Request{Inputs: inputs(1000), Env: one}, "1001 inputs"},
		{Request{TTL: -1}, "ttl of -1"}, {Request{TTL: 1}, ""},
		{Request{Template: "t"}, "not an absolute name"}, {Request{Template: "/t"}, ""},
		{Request{Stage: strings.Repeat("s", 128)}, ""}, {Request{Stage: strings.Repeat("s", 129)}, "up to 128"},
		{Request{Stage: "-s"}, "stage"},
		{Request{Deps: []string{"a"}, Outputs: []string{"b/../a"}}, "change its own key"},
		{Request{Deps: []string{"a*"}, Outputs: []string{"a*"}}, ""},
		{Request{Deps: []string{""}}, "empty"}, {Request{Deps: []string{"!../a"}}, "leaves"}, {Request{Deps: []string{".."}}, "leaves"},
		{Request{Deps: []string{"/abs"}}, ""}, {Request{Outputs: []string{"/abs"}}, "leaves"},
		{Request{Deps: []string{"a["}}, "not closed"}, {Request{Deps: []string{"a\x00"}}, "is too long, or contains a NUL byte"},
		{Request{Outputs: []string{strings.Repeat("a", event.MaxPath)}}, ""},
		{Request{Outputs: []string{strings.Repeat("a", event.MaxPath+1)}}, "is too long, or contains a NUL byte"},
	} {
		c.r.Stage = cmp.Or(c.r.Stage, "s")
		if c.r.Command == nil {
			c.r.Command = many(1)
		}
		err := c.r.check()
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.80v: %v, want %q", c.r, err, c.want)
		}
	}
}

// TestOutputs: the files that a step made are gathered, and restored with their modes; what is
// right is not touched.
func TestOutputs(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	for name, mode := range map[string]os.FileMode{"out/b": 0o755, "out/a": 0o600, "x.bin": 0o644, "[odd]": 0o644,
		".git/y": 0o644} {
		fault.Write(t, filepath.Join(root, name), name)
		fault.Check(t, os.Chmod(filepath.Join(root, name), mode))
	}
	fault.Check(t, os.Symlink("b", filepath.Join(root, "out/link")))
	gather := func(outputs ...string) string {
		r := NewRecorder(100)
		if err := Gather(root, outputs, r); err != nil {
			return err.Error()
		}
		rec, _, _ := r.Record()
		var b strings.Builder
		for _, f := range rec.Files {
			fmt.Fprintf(&b, "%s %o %v %s; ", f.Path, f.Mode, f.Link, f.Data)
		}
		return b.String()
	}
	const out = "out/a 600 false out/a; out/b 755 false out/b; out/link 777 true b; "
	fault.Same(t, "a folder, twice", gather("out", "out/*"), out)
	fault.Same(t, "a name in brackets and a glob", gather("[odd]", "*.bin", "none*"),
		"[odd] 644 false [odd]; x.bin 644 false x.bin; ")
	fault.Same(t, "all", gather("**"), "[odd] 644 false [odd]; "+out+"x.bin 644 false x.bin; ")
	fault.Same(t, "a name of nothing", gather("none"), "a declared output, none, was not made")
	fault.Same(t, "made", []bool{Made(root, []string{"out", "none*"}), Made(root, []string{"out", "none"})},
		[]bool{true, false})

	r := NewRecorder(100)
	fault.Check(t, Gather(root, []string{"out"}, r))
	rec, _, _ := r.Record()
	fault.Same(t, "size", rec.size(), int64(11))
	disk := fault.Must(os.OpenRoot(other))
	defer disk.Close()
	for _, spoil := range []func(name string) error{
		func(string) error { return nil }, os.Remove,
		func(name string) error { return os.WriteFile(name, []byte("OUT/B"), 0o755) },
		func(name string) error { return os.WriteFile(name, []byte("longer than it was"), 0o755) },
		func(name string) error { return os.Chmod(name, 0o700) },
		func(name string) error { return errors.Join(os.Remove(name), os.Symlink("a", name)) },
	} {
		fault.Check(t, spoil(filepath.Join(other, "out/b")))
		fault.Check(t, Restore(other, rec.Files))
		for _, f := range rec.Files {
			if !same(disk, f) {
				t.Errorf("%s is not restored", f.Path)
			}
		}
		before := fault.Must(os.Lstat(filepath.Join(other, "out/b")))
		fault.Check(t, Restore(other, rec.Files))
		after := fault.Must(os.Lstat(filepath.Join(other, "out/b")))
		if !os.SameFile(before, after) {
			t.Error("a file that is right is written again")
		}
		text := fault.Must(os.ReadFile(filepath.Join(other, "out/b")))
		fault.Same(t, "out/b", fmt.Sprint(string(text), before.Mode()), "out/b-rwxr-xr-x")
	}
	fault.Check(t, os.Remove(filepath.Join(other, "out/link")))
	fault.Check(t, os.Symlink("elsewhere", filepath.Join(other, "out/link")))
	fault.Check(t, Restore(other, rec.Files))
	to, err := os.Readlink(filepath.Join(other, "out/link"))
	if err != nil || to != "b" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// TestPatterns: what each pattern names, and that the list of files is asked for again only where
// it may have changed.
func TestPatterns(t *testing.T) {
	r := newFixture(t)
	for _, name := range []string{"[odd].go", "src/deep/c.go", "other/d.go"} {
		fault.Write(t, filepath.Join(r.root, name), name)
	}
	fault.Write(t, filepath.Join(r.store, "outside"), "x")
	lists := 0
	list := r.place.List
	tr := &tree{now: r.clock.now, Place: Place{r.root, func(ctx context.Context) ([]event.Path, []string, error) {
		lists++
		files, basis, err := list(ctx)
		return files, append(basis, filepath.Join(r.root, "ignore")), err
	}}}
	names := func(q Request) string {
		deps, idle, err := tr.resolve(t.Context(), &q)
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, d := range deps {
			out = append(out, strings.TrimPrefix(d.name, r.store))
		}
		return fmt.Sprint(out, idle)
	}
	for _, c := range []struct {
		deps, outputs string
		want          string
	}{
		{"src/*.go", "", "[src/a.go src/b.go] []"}, {"src", "", "[src/a.go src/b.go src/deep/c.go] []"},
		{".", "", "[[odd].go other/d.go src/a.go src/b.go src/deep/c.go] []"}, {"[odd].go", "", "[[odd].go] []"},
		{"**/*.go !src/deep", "src/a.go", "[[odd].go other/d.go src/b.go] []"},
		{"src/*.go", "src/a", "[src/a.go src/b.go] []"}, {"src/*.go", "src/b*", "[src/a.go] []"}, {"src/*.go", ".", "[] []"},
		{"!src/b.go src/*.go", "", "[src/a.go] []"}, {r.store + "/gone", "", "[/gone] [" + r.store + "/gone]"},
		{"src/a.go src/*.go gone no*", "", "[gone src/a.go src/b.go] [gone no*]"}, {r.root, "",
			"[[odd].go other/d.go src/a.go src/b.go src/deep/c.go] []"},
		{r.root + "/src/a.go", "", "[src/a.go] []"}, {r.store + "/outside", "", "[/outside] []"},
		{r.store, "", "the stage cannot run: pattern " + r.store + ": outside the repository only names are allowed"},
		{r.store + "/o*", "",
			"the stage cannot run: pattern " + r.store + "/o*: outside the repository only names are allowed"},
	} {
		fault.Same(t, c.deps, names(Request{Deps: strings.Fields(c.deps), Outputs: strings.Fields(c.outputs)}), c.want)
	}
	fault.Same(t, "lists", lists, 1)
	fault.Write(t, filepath.Join(r.root, "other/e.go"), "e")
	fault.Same(t, "below src nothing changed", fmt.Sprint(names(Request{Deps: []string{"src/*.go"}}), lists),
		"[src/a.go src/b.go] []1")
	fault.Same(t, "other changed", fmt.Sprint(names(Request{Deps: []string{"other/*"}}), lists),
		"[other/d.go other/e.go] []2")
	fault.Write(t, filepath.Join(r.root, "ignore"), "x")
	fault.Same(t, "what the list depends on changed", fmt.Sprint(names(Request{Deps: []string{"src/*.go"}}),
		lists), "[src/a.go src/b.go] []3")
	// A list that was made within the window of a change is made again, for there may be another
	// that looks the same.
	st := fault.Must(os.Stat(filepath.Join(r.root, "ignore")))
	now := r.clock.at
	r.clock.at = st.ModTime()
	fault.Write(t, filepath.Join(r.root, "other/f.go"), "f")
	names(Request{Deps: []string{"other/*"}})
	names(Request{Deps: []string{"other/*"}})
	fault.Same(t, "lists while it changes", lists, 5)
	r.clock.at = now
	names(Request{Deps: []string{"other/*"}})
	names(Request{Deps: []string{"other/*"}})
	fault.Same(t, "lists when it is over", lists, 6)
}

// TestKeepTimes: a result goes 30 days after its last use, what a session has 90 days after its
// last pipeline, and a session holds 50 MiB.
func TestKeepTimes(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		age              time.Duration
		results, session bool
	}{{30*day - time.Second, true, true}, {30*day + time.Second, false, true}, {90*day - time.Second, false, true},
		{90*day + time.Second, false, false}} {
		r := newFixture(t)
		q := r.request()
		r.keep(q, r.turn(q), "out")
		fault.Check(t, r.c.Progress(t.Context(), Progress{Session: "s", Pipeline: "p"}))
		r.clock.at = r.clock.at.Add(c.age)
		r.sweep()
		left := fault.Must(r.c.List(t.Context(), "", 9))
		s := fault.Must(r.c.Session(t.Context(), "s", "p"))
		fault.Same(t, c.age.String(), []bool{len(left) > 0, s.Known}, []bool{c.results, c.session})
	}
	r := newFixture(t)
	tell := func(session string, bytes int, call string) error {
		return r.c.Progress(t.Context(), Progress{Session: session, Pipeline: "p", Tokens: 3, Call: call,
			Output: &Output{Stage: "big", Value: make([]byte, bytes)}})
	}
	fault.Check(t, tell("s", 50<<20, "1"))
	fault.Check(t, tell("s", 0, "1")) // again
	if err := tell("s", 50<<20+1, "2"); !errors.Is(err, ErrSession) || !strings.Contains(err.Error(),
		"hold 52428801 bytes, the limit is 52428800") {
		t.Error(err)
	}
	for id, ok := range map[string]bool{"": false, strings.Repeat("i", 128): true, strings.Repeat("i", 129): false} {
		if err := tell(id, 0, ""); (err == nil) != ok || err != nil && !errors.Is(err, ErrSession) {
			t.Errorf("an id of %d bytes: %v", len(id), err)
		}
	}
	s, err := r.c.Session(t.Context(), "s", "p")
	if err != nil || s.Tokens != 3 || s.State != Running {
		t.Errorf("%+v, %v", s, err)
	}
	ids, err := r.c.Sessions(t.Context(), 1)
	if err != nil || len(ids) != 1 {
		t.Error(ids, err)
	}
	if MaxResult != 16_000_000 {
		t.Error("a result has", MaxResult, "bytes")
	}
}

// TestFailures: what cannot be read or printed is an error, and nothing is kept of it.
func TestFailures(t *testing.T) {
	r := newFixture(t)
	broken := errors.New("broken")
	place := Place{r.root, func(context.Context) ([]event.Path, []string, error) { return nil, nil, broken }}
	if _, err := r.c.Begin(t.Context(), place, Request{Stage: "s", Command: []string{"true"},
		Deps: []string{"*"}}); !errors.Is(err, broken) {
		t.Errorf("files that cannot be listed: %v", err)
	}
	l := fault.Must(net.Listen("unix", filepath.Join(r.root, "socket")))
	defer l.Close()
	_, err := r.c.Begin(t.Context(), place, Request{Stage: "s", Command: []string{"true"}, Deps: []string{"socket"}})
	if !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), "socket is neither a file nor a link") {
		t.Errorf("a socket as a dependency: %v", err)
	}
	rec := NewRecorder(100)
	out, in := io.Pipe()
	fault.Check(t, out.CloseWithError(broken))
	_, _ = rec.Writer(Stdout, in).Write([]byte("x"))
	if kept, ok, err := rec.Record(); !ok || !errors.Is(err, broken) || string(kept.Output(Stdout)) != "x" {
		t.Errorf("printed to nobody: %+v, %v, %v", kept, ok, err)
	}
}
