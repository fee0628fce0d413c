package blame

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
	"github.com/aoa-dev/aoa/watcher"
)

// work is a repository with a log, in which agents and people write a file. Each thing that happens
// takes a minute.
type work struct {
	*repotest.Repo
	db    *cold.DB
	now   time.Time
	texts map[string][]event.Swap
	calls int
}

func newWork(t *testing.T) *work {
	t.Helper()
	w := &work{Repo: repotest.New(t), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), texts: map[string][]event.Swap{}}
	w.Now = func() time.Time { w.minute(); return w.now }
	var err error
	w.db, err = cold.Open(t.Context(), filepath.Join(t.TempDir(), "aoa.db"), cold.Options{Now: func() time.Time { return w.now }})
	fault.Check(t, err)
	t.Cleanup(func() { fault.Check(t, w.db.Close()) })
	return w
}

func (w *work) minute() { w.now = w.now.Add(time.Minute) }

const file = "calc.py"

func (w *work) text() string {
	raw, err := os.ReadFile(filepath.Join(w.Dir, file))
	if err != nil {
		return ""
	}
	return string(raw)
}

// person replaces a text of the file without a trace; of an empty text the whole file.
func (w *work) person(old, new string) {
	w.minute()
	text := strings.Replace(w.text(), old, new, 1)
	if old == "" {
		text = new
	}
	fault.Check(w, os.WriteFile(filepath.Join(w.Dir, file), []byte(text), 0o644))
}

func (w *work) log(session string, body event.Body) string {
	w.calls++
	e := event.Event{ID: fmt.Sprint("call", w.calls), Time: w.now, Session: session, Agent: "claude", Body: body}
	_, _, err := w.db.Append(w.Context(), []event.Event{e})
	fault.Check(w, err)
	return e.ID
}

// agent replaces a text of the file by a call of a session.
func (w *work) agent(session, old, new string) {
	w.person(old, new)
	call := event.Call{Act: event.ActEdit, Paths: []event.Path{file}}
	if old == "" {
		call.Act, call.Before = event.ActWrite, event.NoBlob
	}
	w.texts[w.log(session, call)] = []event.Swap{{Old: old, New: new}}
}

// find says of each line who wrote it: its commit's subject, or "-", and the session of its edit,
// or "?" with sessions that may have.
func (w *work) find() (out []string, all []Origin) {
	w.Helper()
	r, err := watcher.OpenRepo(w.Context(), w.Dir, w.Env)
	fault.Check(w, err)
	edits := watcher.NewEdits(r, func(event.Path) bool { return true }, func() time.Time { return w.now })
	f := Finder{DB: w.db, Repo: r, Now: func() time.Time { return w.now }, Blob: edits.Read,
		Texts: func(_ context.Context, id string) []event.Swap { return w.texts[id] }}
	text := w.text()
	all, err = f.Find(w.Context(), file, []byte(text), 1, strings.Count(text, "\n"))
	fault.Check(w, err)
	lines := strings.Split(text, "\n")
	for _, o := range all {
		for line := o.From; line <= o.To; line++ {
			says := "-"
			if o.Commit != nil {
				says = o.Commit.Subject
			}
			if o.Edit != nil {
				says += " " + o.Edit.ID
			} else if len(o.Sessions) > 0 {
				says += " ?"
				for _, s := range o.Sessions {
					says += " " + s.ID
				}
			}
			out = append(out, strings.TrimSpace(lines[line-1])+" | "+says)
		}
	}
	return out, all
}

const (
	add   = "def add(a, b):\n    return a + b\n"
	div   = "def div(a, b):\n    if b == 0:\n        return 0\n    return a / b\n"
	first = "first"
)

// step does what a line of a story says: person OLD NEW, agent SESSION OLD NEW, overwritten, which is
// a write of an agent over an unknown content, write FILE, commit SUBJECT, git ARG….
func (w *work) step(line string) {
	w.Helper()
	var session, old, new string
	do, rest, _ := strings.Cut(line, " ")
	switch do {
	case "person":
		_, err := fmt.Sscanf(rest, "%q %q", &old, &new)
		fault.Check(w, err)
		w.person(old, new)
	case "agent", "overwritten":
		_, err := fmt.Sscanf(rest, "%s %q %q", &session, &old, &new)
		fault.Check(w, err)
		w.agent(session, old, new)
		if do == "overwritten" {
			call := fmt.Sprint("call", w.calls)
			w.log(session, event.Call{Act: event.ActWrite, Paths: []event.Path{file}, Before: "0123"})
			delete(w.texts, call)
		}
	case "write":
		w.Write(rest, "")
	case "commit":
		w.Commit(rest)
	default:
		w.Git(strings.Fields(rest)...)
	}
}

// TestWriter: which edit wrote a line, in commits that were made, amended, rebased and formatted.
// What is not certain is not said. The stories of testdata/writer.txt say after -- who wrote each
// line; -update writes it.
func TestWriter(t *testing.T) {
	const golden = "testdata/writer.txt"
	raw := fault.Must(os.ReadFile(golden))
	var all strings.Builder
	for story := range strings.SplitSeq(strings.TrimPrefix(string(raw), "== "), "\n== ") {
		story, _, _ := strings.Cut(story, "\n--\n")
		w := newWork(t)
		for _, line := range strings.Split(story, "\n")[1:] {
			w.step(line)
		}
		got, _ := w.find()
		fmt.Fprintf(&all, "== %s\n--\n%s\n\n", story, strings.Join(got, "\n"))
	}
	fault.Golden(t, golden, strings.TrimSuffix(all.String(), "\n"))
}

// TestTurn: the edit comes with the prompt of its turn, what else the turn edited, and the last
// check behind it and in front of the commit. What the next turn and another session did is none of
// it.
func TestTurn(t *testing.T) {
	w := newWork(t)
	w.person("", add)
	w.Commit(first)
	w.log("s1", event.Prompt{Text: "an earlier one"})
	w.minute()
	w.log("s1", event.Prompt{Text: "divide,\n\tplease"})
	w.agent("s1", "    return a + b\n", "    return a + b\n"+div)
	for i := range maxWith + 2 {
		w.minute()
		w.log("s1", event.Call{Act: event.ActEdit, Paths: []event.Path{event.Path(fmt.Sprintf("other%d.py", i))}})
	}
	check := func(session, text, exit string) {
		w.minute()
		w.log(session, event.Call{Act: event.ActRun, Text: text, Checks: true, Exit: exit, Failing: []string{"a", "b", "c", "d"}})
	}
	check("s1", "pytest -q", "1")
	check("s2", "make", "0")
	w.minute()
	w.log("s1", event.Prompt{Text: "the next one"})
	w.minute()
	w.log("s1", event.Call{Act: event.ActEdit, Paths: []event.Path{"next.py"}})
	w.Commit("div")
	check("s1", "pytest", "0")
	_, all := w.find()
	o := all[len(all)-1]
	if o.Edit == nil || o.Edit.Prompt != "divide, please" || o.Edit.More != 2 || o.Edit.Check == nil || o.From != 3 || o.To != 6 {
		t.Fatalf("%+v %+v", o, o.Edit)
	}
	name := func(p event.Path) string { return string(p) }
	got := strings.Join(o.Format(file, name, func(at time.Time) string { return at.UTC().Format(time.TimeOnly) }), "\n")
	want := o.Commit.ID[:9] + ` of ` + o.Commit.At.UTC().Format(time.TimeOnly) + ` by A: div
written by claude in session s1, ` + o.Edit.At.Format(time.TimeOnly) + `
asked for: “divide, please”
edited for it, too: other0.py, other1.py, other2.py, other3.py, other4.py and 2 more
last check after it: pytest -q; exit status 1; “a”; “b”; “c”
more: aoa context --session s1`
	fault.Same(t, "text", got, want)
}

// TestUnreadablePrompt: where the prompt of the turn cannot be read, no other one takes its place.
func TestUnreadablePrompt(t *testing.T) {
	w := newWork(t)
	w.person("", add)
	w.Commit(first)
	w.log("s1", event.Prompt{Text: "an earlier one"})
	w.minute()
	w.log("s1", event.Prompt{})
	w.agent("s1", "    return a + b\n", "    return a + b\n"+div)
	_, all := w.find()
	if e := all[len(all)-1].Edit; e == nil || e.Prompt != "" {
		t.Errorf("%+v", e)
	}
}

// TestFormat: what a person reads of a line that came from another file at the end of a shallow
// clone, and of one that some session may have written. Nothing breaks out of its line.
func TestFormat(t *testing.T) {
	name := func(p event.Path) string { return string(p) }
	at := func(time.Time) string { return "noon" }
	o := Origin{From: 3, To: 4, Commit: &Commit{ID: "0123456789ab", By: "p\x1b[2J", Subject: "moved", File: "old.py", Cut: true,
		With: []event.Path{"x.py"}, More: 1}, Sessions: []Session{{Agent: "codex", ID: "s1"}, {Agent: "claude", ID: "s2", Side: true}}}
	fault.Same(t, "text", strings.Join(append(o.Format(file, name, at), o.Place(file)), "\n"),
		`012345678 of noon by p\x1b[2J: moved
it was in old.py then
the clone ends at this commit, so the line may be older: git fetch --unshallow
changed with it: x.py and 1 more
who wrote it is not known; these sessions edited the file at that time:
  codex, noon: aoa context --session s1
  a subagent of claude, noon: aoa context --session s2
calc.py:3-4`)
	o.To, o.Commit, o.Sessions = 3, nil, nil
	fault.Same(t, "text", strings.Join(append(o.Format(file, name, at), o.Place(file)), "\n"), "not committed\ncalc.py:3")
}

// TestSessions: of the sessions that edited a file the newest are named, each once, and none of
// another clone.
func TestSessions(t *testing.T) {
	w := newWork(t)
	w.person("", add)
	w.Commit(first)
	for i := range maxSessions + 2 {
		w.agent(fmt.Sprint("s", i), "+", "+")
		w.agent(fmt.Sprint("s", i), "+", "+")
	}
	w.minute()
	peer := event.Event{ID: "peer", Time: w.now, Session: "away", Agent: "claude", Origin: "clone",
		Body: event.Call{Act: event.ActEdit, Paths: []event.Path{file}}}
	_, _, err := w.db.Append(t.Context(), []event.Event{peer})
	fault.Check(t, err)
	w.person("return", "yield")
	got, _ := w.find()
	fault.Same(t, "lines", got[1], "yield a + b | - ? s6 s5 s4 s3 s2")
}

// TestShallow: of lines at the end of a shallow history no one knows when they were written.
func TestShallow(t *testing.T) {
	w := newWork(t)
	w.person("", add)
	w.Commit(first)
	w.agent("s1", "return a + b", "return sum(numbers)")
	w.Commit("second")
	origin := w.Dir
	w.Dir = filepath.Join(t.TempDir(), "clone")
	fault.Check(t, os.Mkdir(w.Dir, 0o700))
	w.Git("clone", "-q", "--depth=1", "file://"+origin, ".")
	got, all := w.find()
	fault.Same(t, "lines", strings.Join(got, "\n"), "def add(a, b): | second ? s1\nreturn sum(numbers) | second ? s1")
	if c := all[0].Commit; !c.Cut || len(c.With) > 0 {
		t.Errorf("%+v", c)
	}
}

func FuzzWriter(f *testing.F) {
	f.Add("a\nb\n", "a\n", "a\nb\n", 1)
	f.Add("return None, error\n\n", "", "\nreturn None, error", 0)
	f.Fuzz(func(t *testing.T, now, old, new string, i int) {
		e := era{edits: []edit{{Event: event.Event{ID: "call"}, swaps: []swap{{before: newLines(old), after: newLines(new)}}}}}
		text := newLines(now)
		if e.writer(text, i) != "" && newLines(new).count(text.plain[i]) <= newLines(old).count(text.plain[i]) {
			t.Errorf("line %d of %q was there before", i, now)
		}
	})
}

// TestBlameFails: where git blame fails for a file that HEAD has, the failure is the answer, and
// not that the lines are not committed. A content that is large, or that the clone lacks, is no
// sign that HEAD lacks the file.
func TestBlameFails(t *testing.T) {
	w := newWork(t)
	w.Git("config", "blame.markIgnoredLines", "perhaps") // git blame fails over it
	r := fault.Must(watcher.OpenRepo(t.Context(), w.Dir, w.Env))
	f := Finder{DB: w.db, Repo: r, Now: func() time.Time { return w.now },
		Texts: func(context.Context, string) []event.Swap { return nil },
		Blob:  func(context.Context, string) []byte { return nil }}
	w.person("", add)
	find := func() ([]Origin, error) { return f.Find(t.Context(), file, []byte(add), 1, 1) }
	if got, err := find(); err != nil || len(got) != 1 || got[0].Commit != nil {
		t.Errorf("before the first commit: %+v, %v", got, err)
	}
	w.Commit(first)
	if got, err := find(); err == nil {
		t.Errorf("of a committed file: %+v", got)
	}
	w.Git("mv", file, "b.py")
	w.Commit("moved")
	w.person("", add)
	if got, err := find(); err != nil || len(got) != 1 || got[0].Commit != nil {
		t.Errorf("of a new file: %+v, %v", got, err)
	}
}

// TestTyped: a file with lines, as people type it, in testdata/typed.txt: its name, its lines, and
// whether it has any. -update writes it.
func TestTyped(t *testing.T) {
	fault.Replies(t, "testdata/typed.txt", func(arg string) []string {
		name, from, to, ok := Typed(arg)
		return []string{fmt.Sprintf("%q %d %d %v", name, from, to, ok)}
	})
}
