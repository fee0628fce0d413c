package watcher

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// readAgain runs History from the cursor, moves the cursor on and returns all events.
func readAgain(t testing.TB, r *Repo, cursor map[string]string) []event.Event {
	t.Helper()
	var out []event.Event
	var last map[string]string
	err := r.History(context.Background(), maps.Clone(cursor), unseen,
		func(batch []event.Event, c map[string]string) error {
			out, last = append(out, batch...), c
			return nil
		})
	fault.Check(t, err)
	if last != nil {
		clear(cursor)
		maps.Copy(cursor, last)
	}
	return out
}

func TestBatches(t *testing.T) {
	t.Parallel()
	g := generated(t, 1200)
	total := len(strings.Fields(g.Git("rev-list", "--no-merges", "main")))
	r := open(g)
	var sizes []int
	commits := 0
	var cursors []map[string]string
	var progress []string
	var newest, oldest event.Event
	err := r.History(context.Background(), nil, func(done, total int) {
		progress = append(progress, fmt.Sprint(done, "/", total))
	}, func(batch []event.Event, c map[string]string) error {
		for _, e := range batch {
			if e.Kind() == event.KindCommit {
				commits++
			}
		}
		if len(sizes) == 0 {
			newest = batch[0]
		}
		oldest = batch[len(batch)-1]
		sizes, cursors = append(sizes, len(batch)), append(cursors, c)
		return nil
	})
	fault.Check(t, err)
	if len(sizes) != 2 || sizes[0] != 1000 || commits != total {
		t.Errorf("batches of %v with %d commits, %d in all", sizes, commits, total)
	}
	if len(cursors[0]) != 0 || cursors[1]["refs/heads/main"] != g.Git("rev-parse", "main") {
		t.Errorf("cursors %v: only the last batch may move it", cursors)
	}
	if newest.Text() != "change 1199" && newest.Text() != "change 1198" || oldest.Text() != "change 0" ||
		!oldest.Time.Before(newest.Time) {
		t.Errorf("from %q to %q", newest.Text(), oldest.Text())
	}
	if want := fmt.Sprint(total, "/", total); len(progress) == 0 || progress[len(progress)-1] != want {
		t.Errorf("progress %q, want %s at the end", progress, want)
	}

	stop := errors.New("stop")
	if err := r.History(context.Background(), nil, unseen,
		func([]event.Event, map[string]string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("yield's error became %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = r.History(ctx, nil, unseen, func([]event.Event, map[string]string) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOddNamesAndContents(t *testing.T) {
	t.Parallel()
	g := repotest.New(t)
	names := []string{"ünïcode/文件.go", "new\nline.go", "tab\t\"quote\".go", ":colon", " lead and trail ",
		"back\\slash", "not-utf8-\xff\xfe.go", "-dash", "\x01ctrl"}
	g.Commit("odd\x01subject :100644 100644 "+strings.Repeat("long ", 20000), names...)
	g.Git("update-index", "--chmod=+x", ":colon")
	g.Git("commit", "-q", "-m", "mode")
	fault.Check(t, os.Remove(filepath.Join(g.Dir, "-dash")))
	if err := os.Symlink("target", filepath.Join(g.Dir, "-dash")); err != nil {
		t.Skip(err)
	}
	g.Git("add", "-A")
	g.Git("commit", "-q", "-m", "file becomes symlink")
	many := make([]string, 1500)
	for i := range many {
		many[i] = fmt.Sprintf("many/%d/f%d.go", i%40, i)
	}
	g.Commit("many files", many...)
	r := open(g)
	files, err := r.Files(context.Background())
	fault.Check(t, err)
	for _, n := range names {
		if !slices.Contains(files, event.Path(n)) {
			t.Errorf("Files lacks %q", n)
		}
	}
	bySubject := map[string]event.Event{}
	for _, e := range historyOf(t, r) {
		bySubject[e.Text()[:min(4, len(e.Text()))]] = e
	}
	want := eventtest.Paths(slices.Sorted(slices.Values(names)))
	if got := bySubject["odd\x01"]; !slices.Equal(got.Paths(), want) || len(got.Text()) > maxSubject {
		t.Errorf("paths %q, want %q", got.Paths(), want)
	}
	if got := len(bySubject["many"].Paths()); got != len(many) {
		t.Errorf("%d paths of %d", got, len(many))
	}
}

// generated makes a repository of n commits over a few hundred files by git fast-import.
func generated(tb testing.TB, n int) *repotest.Repo {
	tb.Helper()
	g := repotest.New(tb)
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter t <t@example.com> %d +0000\ndata <<EOM\nchange "+
			"%d\n\nbody\nEOM\n", i+1, 1_500_000_000+i*60, i)
		if i > 0 {
			fmt.Fprintf(&in, "from :%d\n", i)
		}
		if i%50 == 49 {
			fmt.Fprintf(&in, "merge :%d\n", i-10)
		}
		for j := range 1 + i%7 {
			fmt.Fprintf(&in, "M 644 inline pkg%d/sub%d/file%d.go\ndata <<EOM\n%d %d\nEOM\n", (i*7+j)%13, (i+j*3)%5, (i*j+i)%11,
				i, j)
		}
		if i%97 == 96 {
			fmt.Fprintf(&in, "D pkg%d/sub%d\n", i%13, i%5)
		}
	}
	g.Import(in.String())
	g.Git("repack", "-adq")
	return g
}

// TestSubjectIsRedactedBeforeItIsCut: a token that the cut would halve is taken out whole, from the
// words, too.
func TestSubjectIsRedactedBeforeItIsCut(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("aB3dE6", 6)
	for before := range 50 {
		subject := strings.Repeat("x", maxSubject-before-1) + " " + token + " and more"
		c := (&Repo{}).commit(&Commit{Subject: subject}, nil, currentNames{})
		if all := c.Text + strings.Join(c.Terms, " "); strings.Contains(all, token[:5]) || len(c.Text) > maxSubject {
			t.Errorf("%d bytes before the cut: …%q", before, all[min(len(all), maxSubject-60):])
		}
	}
}

// TestRenamesIn: a rename is one that git finds, or the only deleted and the only added file of a distinctive name.
func TestRenamesIn(t *testing.T) {
	c := &Commit{Files: []FileChange{
		{Status: 'R', From: "a/x/__init__.py", Path: "b/x/__init__.py"}, {Status: 'M', Path: "m.py"},
		{Status: 'D', Path: "a/one.py"}, {Status: 'A', Path: "b/one.py"},
		{Status: 'D', Path: "a/index.js"}, {Status: 'A', Path: "b/index.js"},
		{Status: 'D', Path: "c/two.py"}, {Status: 'D', Path: "d/two.py"}, {Status: 'A', Path: "e/two.py"},
	}}
	fault.Same(t, "renames", renamesIn(c), []rename{{"a/one.py", "b/one.py"}, {"a/x/__init__.py", "b/x/__init__.py"}},
		cmp.AllowUnexported(rename{}))
}

// TestBlame: a line has the commit that wrote it, whatever changed its white space and wherever it
// stood; one that is not committed has none. What the repository or the person set for git blame
// changes nothing and runs nothing.
func TestBlame(t *testing.T) {
	d := repotest.New(t)
	const one, two = "the first of the lines that were written\n", "the second of the lines that were written\n"
	d.Write("a b.go", one+two)
	d.Write(".gitattributes", "*.go diff=shown\n")
	first := d.Commit("first")
	d.Git("mv", "a b.go", "c.go")
	d.Write("c.go", one+"\t "+two+"three\n")
	second := d.Commit("second")
	d.Write("c.go", one+"\t "+two+"three\nfour\n")
	ran, global := filepath.Join(d.Dir, "ran"), filepath.Join(t.TempDir(), "gitconfig")
	d.Git("config", "diff.shown.textconv", "touch "+ran+"; cat")
	fault.Check(t, os.WriteFile(global, []byte("[blame]\n\tignoreRevsFile = .none\n"), 0o600))
	d.Env = append(d.Env, "GIT_CONFIG_GLOBAL="+global)
	d.Git("config", "blame.ignoreRevsFile", ".missing")
	r := open(d)
	got, err := r.Blame(t.Context(), "c.go", 1, 4)
	fault.Check(t, err)
	var lines []string
	for _, l := range got {
		lines = append(lines, fmt.Sprint(l.Line, " ", l.Commit, " ", l.File, " ", l.Subject, " ", l.By, " ", l.Written.Equal(l.Recorded),
			" ", l.Cut))
	}
	fault.Same(t, "lines", lines, []string{"1 " + first + " a b.go first A true false", "2 " + first + " a b.go first A true false",
		"3 " + second + " c.go second A true false", "4  c.go   true false"})
	for _, c := range []struct {
		commit string
		file   event.Path
		want   int
	}{{"", "c.go", 1}, {second, "c.go", 0}, {second, "a b.go", 1}, {first, "a b.go", 0}} {
		at, err := r.WrittenBefore(t.Context(), c.commit, c.file, got[0].Written.Add(-1))
		if len(at) != c.want || err != nil {
			t.Errorf("commits of %s before %.9s: %v, %v", c.file, c.commit, at, err)
		}
	}
	if _, err := r.Blame(t.Context(), "c.go", 5, 5); err == nil {
		t.Error("a line that is not there has a commit")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("git blame ran a program of the repository")
	}
}

// TestFilesOfMerge: a merge changed what none of its parents has, and not the files that one of
// them brought.
func TestFilesOfMerge(t *testing.T) {
	d := repotest.New(t)
	d.Write("a.go", "one\n")
	d.Commit("first")
	d.Git("checkout", "-q", "-b", "side")
	d.Write("b é.go", "one\n")
	d.Commit("side")
	d.Git("checkout", "-q", "-")
	d.Write("c.go", "one\n")
	d.Commit("main")
	d.Git("merge", "-q", "--no-commit", "side")
	d.Write("a.go", "two\n")
	merge := d.Commit("merge")
	files, err := open(d).FilesOf(t.Context(), merge)
	fault.Check(t, err)
	fault.Same(t, "files", files, []event.Path{"a.go"})
	files, err = open(d).FilesOf(t.Context(), merge+"^2")
	fault.Check(t, err)
	fault.Same(t, "files of the side", files, []event.Path{"b é.go"})
}

func FuzzParseBlame(f *testing.F) {
	head := idA + " 1 1 1\nauthor A\nauthor-time 1\ncommitter-time 2\nsummary s\nfilename a.go\n\tone\n"
	f.Add(head + idA + " 2 2\n\ttwo\n")
	f.Add(strings.Replace(head, "a.go", `"a\tb.go"`, 1))
	f.Add(nil40 + " 1 1 1\nfilename a.go\n\tnot committed\n")
	f.Add(idA + " 1 x\n")
	f.Add("\tof no commit\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := parseBlame(strings.NewReader(text))
		if err != nil && !errors.Is(err, errBlame) {
			t.Error(err)
		}
		for _, l := range lines {
			if _, err := event.NewPath(string(l.File)); err != nil || l.Commit != "" && len(l.Commit) < 40 {
				t.Errorf("%+v", l)
			}
		}
	})
}
