package eval

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
	"github.com/aoa-dev/aoa/watcher"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// paired is a history in which src/a.go and docs/a.md changed together 60 times, between commits of
// other files, and then once apart.
func paired() (s Source) {
	add := func(files ...event.Path) {
		n := len(s.Commits)
		s.Commits = append(s.Commits, event.Event{ID: fmt.Sprintf("commit:%d", n), Agent: "git",
			Time: noon.Add(time.Duration(n) * time.Hour), Body: event.Commit{Text: "change", Paths: files}})
	}
	for range 60 {
		add("src/a.go", "docs/a.md")
		add("other.go")
	}
	add("src/a.go")
	add("docs/a.md")
	return s
}

// TestBacktest: complete commits, those of one file included, and each file left out, counted by
// hand.
func TestBacktest(t *testing.T) {
	s := paired()
	b := fault.Must(NewBacktest(t.Context(), s, Options{}, .7))
	// The last quarter of 122 commits: 15 of both files, 15 of other.go, and the two that are
	// apart.
	counts := []int{b.Commits, b.Complete, b.Spoke, b.LeftOut, b.Named, b.Right}
	fault.Same(t, "commits, complete, spoke, left out, named, right", fmt.Sprint(counts), "[122 30 2 28 28 28]")
	if f := b.Findings; len(f) != 2 || f[0].Commit != "121" || f[1].Commit != "120" || f[0].Missing[0].Later ||
		!f[1].Missing[0].Later || f[1].Missing[0].File != "docs/a.md" {
		t.Errorf("findings %+v", b.Findings)
	}
	if b := fault.Must(NewBacktest(t.Context(), Source{}, Options{}, .7)); b.Complete != 0 || b.Findings == nil {
		t.Errorf("of nothing: %+v", b)
	}
}

// TestBacktestKnowsTheRules: what the repository says of its own files today counts for past
// commits, too.
func TestBacktestKnowsTheRules(t *testing.T) {
	d := newTestRepo(t)
	d.Write(".aoa/exceptions", "docs/a.md src/a.go\n")
	d.Write(".gitattributes", "docs/* linguist-generated\n")
	repo := fault.Must(watcher.OpenRepo(t.Context(), d.Dir, append(d.Env, "HOME="+t.TempDir())))
	b, err := NewBacktest(t.Context(), paired(), Options{Rules: func(ctx context.Context, l []prefetch.Lack) (change.Rules, error) {
		return change.RulesOf(ctx, repo, l)
	}}, .7)
	fault.Check(t, err)
	fault.Same(t, "named", b.Named+b.Spoke, 0)
	fault.Check(t, os.Remove(d.Dir+"/.aoa/exceptions"))
	b, err = NewBacktest(t.Context(), paired(), Options{Rules: func(ctx context.Context, l []prefetch.Lack) (change.Rules, error) {
		return change.RulesOf(ctx, repo, l)
	}}, .7)
	fault.Check(t, err)
	if b.Named != 14 || b.Spoke != 1 {
		t.Errorf("without exceptions %+v", b)
	}
}

// TestChanges: each of the newest commits is asked about as if it had not been made: complete, and
// without each of its known files.
func TestChanges(t *testing.T) {
	var s Source
	add := func(files ...event.Path) {
		n := len(s.Commits)
		s.Commits = append(s.Commits, event.Event{ID: fmt.Sprintf("commit:%d", n), Agent: "git", Time: time.Date(2026,
			1, 1+n, 0, 0, 0, 0, time.UTC), Body: event.Commit{Text: "change", Paths: files}})
	}
	add("src/c.go")
	for range 20 {
		add("src/a.go", "docs/old.md")
	}
	s.Commits = append(s.Commits, event.Event{ID: "rename:1", Agent: "git", Time: time.Date(2026, 1, 21, 1, 0, 0, 0, time.UTC),
		Body: event.Rename{From: []event.Path{"docs/old.md"}, To: []event.Path{"docs/b.md"}}})
	add("docs/b.md")
	add("src/a.go", "docs/b.md")
	add("src/a.go", "src/c.go", "src/new.go")
	got := fault.Must(Changes(t.Context(), s, Options{Newest: 2}, .55))
	if len(got) != 2 || got[1].Commit.ID != "commit:24" {
		t.Fatalf("asked about %+v", got)
	}
	usual, odd := got[0], got[1]
	for i, left := range []event.Path{"src/a.go", "docs/b.md"} {
		if g := usual.Guesses[i]; g.Left != left || g.Place != 1 || !g.Simple || len(g.Warned) != 1 ||
			g.Warned[0].File != left {
			t.Errorf("without %s: %+v", left, g)
		}
	}
	fault.Same(t, "what the complete change lacks", len(usual.Warned), 0)
	// Beside each of two files the other one was promised, and came; beside a.go of the odd commit
	// b.md was, and did not.
	kept, broken := 0, 0
	for _, p := range usual.Promises {
		if p.Kept && p.P > .8 {
			kept++
		}
	}
	for _, p := range odd.Promises {
		if !p.Kept && p.P > .8 {
			broken++
		}
	}
	fault.Same(t, "promises that were kept and broken", fmt.Sprint(kept, broken), "2 1")
	s = Source{Commits: s.Commits[:24]}
	add("src/a.go", "src/c.go")
	add("docs/b.md") // what the one before lacked, a day later
	later, err := Changes(t.Context(), s, Options{Newest: 2}, .55)
	if err != nil || len(later) != 2 || len(later[1].Guesses)+len(later[1].Warned) != 1 ||
		len(later[0].Warned) != 1 || !later[0].Warned[0].Later {
		t.Errorf("what a commit lacked and the next one had: %+v, %v", later, err)
	}
	if len(odd.Guesses) != 2 { // src/new.go could not be known
		t.Fatalf("%+v", odd.Guesses)
	}
	if g := odd.Guesses[1]; g.Left != "src/c.go" || g.Place == 1 || g.Simple || g.Listed[0].File != "docs/b.md" {
		t.Errorf("the commit was known before it was asked about: %+v", g)
	}
}

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
	s := fault.Must(History(t.Context(), "x", d.Dir, d.Env, func(p event.Path) bool { return p == "c.go" }))
	var got []string
	for _, e := range s.Commits {
		got = append(got, fmt.Sprintf("%s %s%v%v%v", e.Kind(), e.Text(), e.From(), e.Paths(), e.Gone()))
	}
	want := []string{"commit begin\twith tabs[][b.go old name.go][]", "rename [old name.go][new.go][]",
		"commit move[][b.go new.go][]", "commit delete[][][b.go]"}
	fault.Same(t, "read", got, want)
}
