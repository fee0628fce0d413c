package recorded

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// made has sessions of invented work.
const made = "testdata/made+up.jsonl"

// TestSaid: what the agent said stands before its prompt, as words.
func TestSaid(t *testing.T) {
	s := eventsOf("s", []Row{{TS: 1, Session: "s", Kind: "read", Path: "a.go", Agent: "claude"},
		{TS: 2, Session: "s", Seq: 1, Kind: "prompt", Text: "do it", Said: "Shall I mend the basket?", Agent: "claude"}})
	stop, some := s.Said[1]
	if len(s.Events) != 2 || !some || len(s.Said) != 1 || stop.Kind() != event.KindStop || !s.Events[1].Body.(event.Prompt).Brief {
		t.Errorf("%+v", s)
	}
	items, tracks := timeline(Source{Sessions: []Session{s}})
	if u := tracks[0].units[1]; len(items) != 4 || u.said == nil || u.prompt() == nil || tracks[0].units[0].said != nil {
		t.Errorf("%d items, the prompt's unit: %+v", len(items), u)
	}
}

// TestTracesOfFolder: names, compression, either file alone, and a folder that has none.
func TestTracesOfFolder(t *testing.T) {
	dir := t.TempDir()
	sessions, commits := fault.Must(os.ReadFile(made)), fault.Must(os.ReadFile("testdata/made+up.commits.jsonl"))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(sessions)
	_ = z.Close()
	for name, data := range map[string][]byte{"made+up.jsonl.gz": packed.Bytes(),
		"made+up.commits.jsonl": commits, "alone.commits.jsonl": commits, "notes.txt": nil} {
		fault.Check(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	got := fault.Must(Traces(dir))
	if len(got) != 2 || got[0].Name != "alone" || len(got[0].Sessions) != 0 || got[1].Name != "made/up" ||
		len(got[1].Sessions) != 24 {
		t.Fatalf("read %d sources: %+v", len(got), got)
	}
	if len(got[0].Commits) != len(got[1].Commits) || len(got[0].Commits) < 12 {
		t.Errorf("%d and %d commits", len(got[0].Commits), len(got[1].Commits))
	}
	if _, err := Traces(t.TempDir()); !errors.Is(err, ErrNoTraces) {
		t.Errorf("an empty folder: %v", err)
	}
	fault.Check(t, os.WriteFile(filepath.Join(dir, "broken.jsonl"), []byte("{}\n"), 0o600))
	if _, err := Traces(dir); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a file without a row: %v", err)
	}
	// A line that is no row, and a copy that was cut off, are left out alone.
	lines := strings.SplitAfter(string(sessions), "\n")
	bad := strings.Join(lines[:5], "") + "{\"session\":\n\n" + strings.Join(lines[5:], "")
	fault.Check(t, os.WriteFile(filepath.Join(dir, "broken.jsonl"), []byte(bad), 0o600))
	fault.Check(t, os.WriteFile(filepath.Join(dir, "cut.jsonl.gz"), packed.Bytes()[:packed.Len()/2], 0o600))
	if got = fault.Must(Traces(dir)); len(got) != 4 {
		t.Fatalf("%d sources", len(got))
	}
	if got[1].Name != "broken" || got[1].Unusable != 1 || !reflect.DeepEqual(got[1].Sessions, got[3].Sessions) {
		t.Errorf("%s: %d lines unusable, %d sessions of %d", got[1].Name, got[1].Unusable, len(got[1].Sessions),
			len(got[3].Sessions))
	}
	if got[2].Name != "cut" || got[2].Unusable == 0 || len(got[2].Sessions) == 0 {
		t.Errorf("%s: %d lines unusable, %d sessions", got[2].Name, got[2].Unusable, len(got[2].Sessions))
	}
}

// TestResumed: what a resumed session records again counts once, where it was recorded first.
func TestResumed(t *testing.T) {
	rows, _, err := decodeRows(strings.NewReader(`{"session":"late","ts":10,"seq":0,"kind":"read","path":"a.go","ok":true}
{"session":"late","ts":30,"seq":1,"kind":"read","path":"b.go","ok":true}
{"session":"first","ts":10,"seq":0,"kind":"read","path":"a.go","ok":true}
{"session":"first","ts":5,"seq":1,"kind":"read","path":"c.go","ok":true}
{"session":"first","ts":5,"seq":2,"kind":"read","path":"c.go","ok":true}
`))
	fault.Check(t, err)
	sessions, repeated := sessionsOf(rows)
	got := map[string]int{}
	for _, s := range sessions {
		got[s.ID] = len(s.Events)
	}
	if repeated != 1 || got["first"]+got["late"] != 4 {
		t.Errorf("%d repeated, events %v", repeated, got)
	}
}

// TestCalls: a shell command beside the file events that were found in it is one call; its result
// is known at its end.
func TestCalls(t *testing.T) {
	rows, _, err := decodeRows(strings.NewReader(`{"session":"s","ts":1,"seq":0,"kind":"bash","text":"cat a.go b.go; grep x","ok":true,"call":1,"batch":1,"results":["c.go"],"results_kind":"listing","mentions":["a.go","b.go","d.go"]}
{"session":"s","ts":1,"seq":1,"kind":"read","path":"a.go","ok":true,"call":1,"batch":1}
{"session":"s","ts":1,"seq":2,"kind":"read","path":"b.go","ok":null,"call":1,"batch":1}
{"session":"s","ts":2,"seq":3,"kind":"bash","text":"git commit","ok":true,"call":2,"batch":2,"agent":"claude-code-sub"}
{"session":"s","ts":2,"seq":4,"kind":"commit","text":"git commit","ok":true,"call":2,"batch":2}
{"session":"s","ts":3,"seq":5,"kind":"failed","path":"z.go","why":"missing","ok":false,"call":3,"batch":3}
{"session":"s","ts":4,"seq":6,"kind":"read","path":"../out.go","ok":true,"call":4,"batch":4}
`))
	fault.Check(t, err)
	type short struct {
		Kind  event.Kind
		Paths []event.Path
		Named []event.Path
		Seen  []event.Path
		Sub   string
		OK    bool
	}
	var got []short
	for _, e := range eventsOf("s", rows).Events {
		got = append(got, short{e.Kind(), e.Paths(), e.Named(), e.Seen(), e.Subagent, e.Call().OK()})
	}
	want := []short{
		{event.KindRead, []event.Path{"a.go"}, nil, nil, "", true},
		{event.KindRead, []event.Path{"b.go"}, []event.Path{"d.go"}, []event.Path{"c.go"}, "", true},
		{event.KindRun, nil, nil, nil, "sub", true},
		{event.KindFailed, []event.Path{"z.go"}, nil, nil, "", false},
	}
	if d := cmp.Diff(want, got, cmp.Transformer("none",
		func(ps []event.Path) []string { return append([]string{}, event.Strings(ps)...) })); d != "" {
		t.Error(d)
	}
}

func FuzzRows(f *testing.F) {
	head, _, _ := bytes.Cut(fault.Must(os.ReadFile(made)), []byte(`"s001"`))
	f.Add(head)
	f.Add([]byte(`{"session":"s","ts":1e10,"kind":"bash","call":1,"results":["/x","a\u0000"],"mentions":[""]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, _, err := decodeRows(bytes.NewReader(data))
		if err != nil {
			return
		}
		sessions, _ := sessionsOf(rows)
		for _, s := range sessions {
			if len(s.Seq) != len(s.Events) {
				t.Fatalf("%d numbers of %d events", len(s.Seq), len(s.Events))
			}
			for _, e := range s.Events {
				for _, p := range append(e.Paths(), e.Seen()...) {
					if q, err := event.NewPath(string(p)); err != nil || q != p {
						t.Fatalf("%q is not a path: %v", p, err)
					}
				}
			}
		}
		commitsOf(rows)
	})
}

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
