package recorded

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// newRepo makes a repository by a shell script, in which save commits everything under a subject, a
// second after the one before.
func newRepo(t *testing.T, script string) (dir string) {
	t.Helper()
	r := repotest.New(t)
	r.Run(`at=1772452800
save() { at=$((at + 1)); git add -A; GIT_COMMITTER_DATE="$at +0000" git commit -qm "$*"; }
` + script)
	return r.Dir
}

// TestClone: a clone adds to a trace what only git knows.
func TestClone(t *testing.T) {
	dir := newRepo(t, `
echo a > a.go; echo b > b.go; save begin
git rm -q b.go; echo a2 > a.go; save delete`)
	own := fault.Must(eval.History(t.Context(), "x", dir, os.Environ(), nil))
	trace := Source{Source: eval.Source{Name: "x"}}
	for _, e := range own.Commits {
		e.ID = e.ID[:len("commit:")+shortName]
		eventtest.Set(&e, "Paths", append(slices.Clone(e.Paths()), e.Gone()...), "Gone", nil)
		trace.Commits = append(trace.Commits, e)
	}
	fault.Check(t, trace.complete(t.Context(), dir, os.Environ()))
	if last := trace.Commits[1]; !slices.Equal(last.Gone(), []event.Path{"b.go"}) || !slices.Equal(last.Paths(),
		[]event.Path{"a.go"}) {
		t.Errorf("the second commit is %+v", last)
	}
	if err := trace.complete(t.Context(), t.TempDir(), os.Environ()); err == nil {
		t.Error("an empty folder is not a clone")
	}
}

// TestBlobs: what a file held is read by its id, and what is not there is nothing.
func TestBlobs(t *testing.T) {
	dir := newRepo(t, `
printf a > a.go; save begin`)
	s := fault.Must(eval.History(t.Context(), "x", dir, os.Environ(), nil))
	r := fault.Must(openBlobs(t.Context(), dir, os.Environ()))
	defer r.Close()
	held := fault.Must(versions(t.Context(), s.Clone))
	for id, want := range map[string]string{held[commitOf(s.Commits[0])][0].id: "a", "deadbeef": ""} {
		if data, err := r.read(id); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v; want %q", id, data, err, want)
		}
	}
}

// TestFutureIsUnknown: what is decided before a moment does not depend on what happens after it.
func TestFutureIsUnknown(t *testing.T) {
	// Invented work: sessions that search, read what was listed in one batch, edit, test and commit.
	made := fault.Must(Traces("testdata"))
	whole := made[0]
	last := whole.Commits[len(whole.Commits)-1].Time
	cut := whole.Commits[0].Time.Add(last.Sub(whole.Commits[0].Time) * 2 / 3)
	part := Source{Source: eval.Source{Name: whole.Name}}
	for _, e := range whole.Commits {
		if !e.Time.After(cut) {
			part.Commits = append(part.Commits, e)
		}
	}
	for _, s := range whole.Sessions {
		kept := Session{ID: s.ID}
		for i, e := range s.Events {
			if !e.Time.After(cut) {
				kept.Events, kept.Seq = append(kept.Events, e), append(kept.Seq, i)
			}
		}
		if len(kept.Events) > 0 {
			part.Sessions = append(part.Sessions, kept)
		}
	}
	all, before := rankings(t, whole), rankings(t, part)
	same := 0
	for key, list := range before {
		if want, asked := all[key]; asked && !slices.Equal(list, want) {
			t.Errorf("%s: with its future %.80s, without %.80s", key, want, list)
		} else if asked {
			same++
		}
	}
	if same < 20 || len(all) <= len(before) {
		t.Errorf("compared %d of %d and %d questions: nothing was tested", same, len(before), len(all))
	}
}

// rankings are the lists of every question, with their scores.
func rankings(t *testing.T, s Source) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := Sessions(t.Context(), s, Options{}, func(d *Decision) error {
		var list []string
		for _, f := range d.Ranked {
			list = append(list, fmt.Sprintf("%s %.12f", f.File, f.Score))
		}
		out[fmt.Sprint(d.Session, " ", d.Seq, " ", d.Query.Task)] = list
		return nil
	})
	fault.Check(t, err)
	return out
}

// TestBranches: a merged branch is asked about before its commits are known, without its name in
// what the default branch got meanwhile.
func TestBranches(t *testing.T) {
	dir := newRepo(t, `
for f in login form main; do echo 'package x' > $f.go; done; save first
git switch -q -c fix-login
for f in login form; do echo 'package x // one' > $f.go; done; save mend the login
echo 'package x // two' > login.go; save mend the login again
git switch -q main
echo 'package x // other' > main.go; save something else
git merge -q --no-ff -m 'Merge pull request #1 from somebody/fix-login' fix-login`)
	s, err := eval.History(context.Background(), "a/b", dir, os.Environ(), nil)
	fault.Check(t, err)
	var got []Localization
	err = Branches(context.Background(), s, Options{}, 0, 1, 10, func(l *Localization) error {
		got = append(got, *l)
		return nil
	})
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %d questions: want one at each commit, and one with the message of the second", err, len(got))
	}
	first, second, message := got[0], got[1], got[2]
	if first.Text != "" || first.Branch.Commits != 0 || first.Branch.Name != "fix-login" || len(first.Files) != 2 {
		t.Errorf("before the first commit: %+v", first.Branch)
	}
	want := []event.Path{"form.go", "login.go"}
	if second.Text != "" || second.Branch.Commits != 1 ||
		!slices.Equal(slices.Sorted(slices.Values(second.Branch.Files)), want) ||
		!slices.Equal(second.Files, []event.Path{"login.go"}) {
		t.Errorf("before the second: %+v, means %v", second.Branch, second.Files)
	}
	if !strings.HasPrefix(message.Text, "mend the login again\n") || message.Branch.Name == "" {
		t.Errorf("with the message: %q %q", message.Text, message.Branch.Name)
	}
	if len(second.Ranked) == 0 || !slices.Contains(want, second.Ranked[0].File) {
		t.Errorf("the first answer on the branch: %v", second.Ranked)
	}
}
