package checkout

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/schedule"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
	"github.com/aoa-dev/aoa/watcher"
)

// TestBranchFails: where git cannot tell what a branch adds, questions say so, and ask again after a pause.
func TestBranchFails(t *testing.T) {
	t.Parallel()
	d := repotest.New(t)
	d.Commit("first", "a.go")
	d.Git("switch", "-q", "-c", "work")
	d.Commit("second", "b.go")
	now := time.Now()
	w := New(fault.Must(watcher.OpenRepo(t.Context(), d.Dir, d.Env)))
	w.now = func() time.Time { return now }
	ask := func(when string, fails bool, files ...event.Path) {
		b, err := w.Branch(t.Context())
		if (err != nil) != fails || !slices.Equal(b.Files, files) {
			t.Errorf("%s: %v, %v", when, b.Files, err)
		}
	}
	d.Rename(".git/objects", ".git/away")
	ask("without objects", true)
	d.Rename(".git/away", ".git/objects")
	ask("at once", true)
	now = now.Add(branchPause)
	ask("after the pause", false, "b.go")
}

// TestDifferentLines: the lines of a file that differ from HEAD are those that a person sees in the
// file now.
func TestDifferentLines(t *testing.T) {
	for _, x := range []struct {
		before, now string
		want        [][2]int
	}{
		{"a\nb\nc\n", "a\nb\nc\n", nil},
		{"a\nb\nc\n", "a\nx\nc\n", [][2]int{{2, 2}}},
		{"a\nb\nc\n", "x\ny\na\nb\nc\nz", [][2]int{{1, 2}, {6, 6}}},
		{"a\r\nb\r\n", "a\nx\n", [][2]int{{2, 2}}},
		{"a\nb\nc\n", "a\nc\n", nil},
		{"", "a\n", [][2]int{{1, 1}}},
		{"a\n", "", nil},
	} {
		fault.Same(t, x.before+" and "+x.now, differentLines(x.before, x.now), x.want)
	}
}

// TestChanging: an edit that began after the last open that the log has is the session's own, for a
// while.
func TestChanging(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var w Checkout
	w.begun.note("s", "a.go", "", now)
	for _, c := range []struct {
		session     string
		opened, now time.Duration
		want        bool
	}{{"s", -time.Minute, time.Second, true}, {"s", time.Second, 2 * time.Second, false}, // the log has it
		{"other", -time.Minute, time.Second, false}, {"s", -time.Minute, time.Hour, false}} {
		fault.Same(t, fmt.Sprintf("%+v", c), w.Changing(c.session, "a.go", now.Add(c.opened), now.Add(c.now)), c.want)
	}
}

// TestEarlierWork: the work with the rarest words of a question is named, commits by their id and
// turns by their session.
func TestEarlierWork(t *testing.T) {
	at := time.UnixMilli(1000)
	work := []event.Event{
		{ID: "e1", Session: "s1", Time: at, Body: event.Prompt{Text: "release the unique lock\nafter a failed job"}},
		{ID: "commit:3f2a1c9d0aaaaaaa", Time: at, Body: event.Commit{Text: "Release the \"unique\" lock"}},
		{ID: "commit:b81c02d77aaaaaaa", Time: at, Body: event.Commit{Text: "Release again"}},
		{ID: "commit:cccccccccaaaaaaa", Time: at, Body: event.Commit{Text: "Something else"}},
	}
	asked := func(text string) []event.Earlier { return like(index.Terms(text, 9), index.Spellings(text), work) }
	got := asked("release the unique jobs")
	fault.Same(t, "named", fmt.Sprint(got), `[a prompt of session s1: "release the unique lock" 3f2a1c9d0 "Release the \x22unique\x22 lock"]`)
	fault.Same(t, "words", fmt.Sprint(got[0].Words, got[1].Words), "[release unique jobs] [release unique]")
	fault.Same(t, "without a word", len(asked("flag")), 0)
}

// TestHistoryAskedWhileRead: a reading that began before the question may have missed what is new.
// Its end is not the end.
func TestHistoryAskedWhileRead(t *testing.T) {
	for _, state := range []string{"done", "failed"} {
		set := &Set{HeadMoved: schedule.NewSignal()}
		set.ask()
		set.ended(state, "")
		fault.Same(t, "the state", set.Imports().History.State, "running")
		<-set.HeadMoved
		set.ended(state, "")
		fault.Same(t, "the state", set.Imports().History.State, state)
	}
}

// TestSessionOfAnotherCheckout: a session of another checkout is not the caller's; an unknown one
// belongs to every caller.
func TestSessionOfAnotherCheckout(t *testing.T) {
	var a Set
	a.Saw("s1", "/main")
	a.Saw("", "/main")
	for _, c := range []struct {
		session string
		root    event.Root
		want    bool
	}{{"s1", "/linked", true}, {"s1", "/main", false}, {"s2", "/linked", false}, {"", "/linked", false}} {
		fault.Same(t, fmt.Sprintf("%q from %s: elsewhere", c.session, c.root), a.Elsewhere(c.session, c.root), c.want)
	}
	a.Saw("s1", "/linked")
	if a.Elsewhere("s1", "/linked") {
		t.Error("a session that moved is still elsewhere")
	}
}

// TestPending: an answer says that more is being read from the first commit on until what commits
// changed is known, or cannot be known.
func TestPending(t *testing.T) {
	s, c := newSketches(), &history.Commits{}
	fault.Same(t, "without commits", s.pending(c), false)
	c.Add("00000000000000aa", []event.Path{"a.go"}, nil)
	fault.Same(t, "nothing is read", s.pending(c), true)
	known := &history.Commits{Sketches: &s.Sketches}
	s.Add("00000000000000bb", []index.FileSketch{{File: "a.go", Sketch: index.Sketch{1}}})
	known.Add("00000000000000bb", []event.Path{"a.go"}, nil)
	fault.Same(t, "it is known from the disk", s.pending(known), false)
	s.read.Open()
	fault.Same(t, "git was asked, and said nothing", s.pending(c), false)
}

// TestWaitForDiffs: a check waits until what commits changed is read, and no longer than it may.
func TestWaitForDiffs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, begin := newSketches(), time.Now()
		s.read.Wait(t.Context(), time.Second)
		fault.Same(t, "nothing is read", time.Since(begin), time.Second)
		time.AfterFunc(time.Minute, s.read.Open)
		s.read.Wait(t.Context(), time.Hour)
		fault.Same(t, "it is read after a minute", time.Since(begin), time.Second+time.Minute)
	})
}

// TestHideWords: a word of a file, a path or the list stays; any other is one hash, always the same
// with a key.
func TestHideWords(t *testing.T) {
	dir := t.TempDir()
	seal := fault.Must(cold.OpenSeal(filepath.Join(dir, "key")))
	w := &Checkout{Reader: index.NewReader(event.Root(dir))}
	w.Reader.Skip()
	w.tree.Store(index.NewTree([]event.Path{"basket/checkout.go"}))
	w.Reader.Contents().Set("basket/checkout.go", []byte("package basket\n\n// payInvoice\nfunc payInvoice() {}\n"))
	set := &Set{Options: Options{Seal: seal, Hot: hot.New()}, known: map[event.Root]*Checkout{event.Root(dir): w}}
	events := []event.Event{
		{Body: event.Prompt{Terms: index.Terms("invoice basket hunter refactor", 4), Idents: []string{"payinvoice", "hunter2pass"}}},
		{Body: event.Call{Act: event.ActSearch, Terms: index.Terms("hunter", 1), Glob: "*hunter*"}},
		{Body: event.Call{Act: event.ActSearch, Glob: "*basket*.go"}},
		{Body: event.Stop{Terms: index.Terms("invoice hunter", 2), Idents: []string{"payinvoice", "hunter2pass"}}}}
	set.HideWords(t.Context(), w, events, 0)
	got, search := events[0].Terms(), events[1].Call()
	if want := slices.Concat(index.Terms("invoice basket", 2), got[2:3], index.Terms("refactor", 1)); !slices.Equal(got, want) ||
		!strings.HasPrefix(got[2], event.HashedWord) || search.Terms[0] != got[2] {
		t.Errorf("terms are %q and %q", got, search.Terms)
	}
	if !slices.Equal(events[0].Idents(), []string{"payinvoice"}) || search.Glob != "" || !search.Cut ||
		events[2].Call().Glob != "*basket*.go" {
		t.Errorf("identifiers are %q, globs %q and %q", events[0].Idents(), search.Glob, events[2].Call().Glob)
	}
	if said := events[3]; said.Terms()[1] != got[2] || !slices.Equal(said.Idents(), []string{"payinvoice"}) {
		t.Errorf("of what the agent said: %q, %q", said.Terms(), said.Idents())
	}
	if again := set.Words(index.Terms("hunter", 1)); again[0] != got[2] {
		t.Errorf("asked for, it is %q, learned as %q", again[0], got[2])
	}
}

// saves keeps the files that were saved.
type saves struct {
	folded
	mu    sync.Mutex
	files []event.Path
}

func (s *saves) Add(events ...event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		if e.Kind() == event.KindSave {
			s.files = append(s.files, e.Paths()...)
		}
	}
}

func (s *saves) has(f event.Path) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.files, f)
}

// TestWatchFollowsSettings: a checkout is watched as the settings say from the moment at which they
// are read again: what is saved right after is seen, and what was saved while nothing was watched
// is not.
func TestWatchFollowsSettings(t *testing.T) {
	const limit = time.Minute
	g := newProject(t).read()
	seen, file := &saves{}, filepath.Join(t.TempDir(), "settings.yaml")
	set := func(key, value string) {
		t.Helper()
		fault.Check(t, config.Set(file, key, value))
		if g.set.Settings != nil {
			fault.Check(t, g.set.Settings.Reload())
		}
	}
	g.set.Settings = nil
	set("watch", "off")
	cfg, _, err := config.Load(nil, file)
	fault.Check(t, err)
	g.set.Settings, g.set.Events, g.set.Now = config.Open(nil, t.TempDir(), file, time.Now, cfg), seen, time.Now
	w := g.set.At(t.Context(), "")
	watched := func(want bool) {
		t.Helper()
		fault.Until(t, limit, "watched or not", func() bool {
			st, on := w.Watching()
			return on == want && (!on || st.Watched > 0)
		})
	}
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = g.set.Run(ctx) })
	defer running.Wait()
	defer end()

	watched(false)
	g.Write("off.go", "new\n")
	fault.Pass(100 * time.Millisecond) // the times of files are behind by up to a tick of the clock
	set("watch", "on")
	g.Write("on.go", "new\n")
	fault.Until(t, limit, "on.go is seen", func() bool { return seen.has("on.go") })
	watched(true)
	set("quiet", "20ms")
	g.Write("quiet.go", "new\n")
	fault.Until(t, limit, "quiet.go is seen", func() bool { return seen.has("quiet.go") })
	set("watch", "off")
	watched(false)
	g.Write("late.go", "new\n")
	fault.Pass(100 * time.Millisecond)
	set("watch", "on")
	g.Write("last.go", "new\n")
	fault.Until(t, limit, "last.go is seen", func() bool { return seen.has("last.go") })
	if seen.has("off.go") || seen.has("late.go") {
		t.Errorf("saved while nothing was watched, and seen: %v", seen.files)
	}
}

// project is a repository and what is known of its history.
type project struct {
	*repotest.Repo
	set *Set
	hot *hot.Store
	db  *cold.DB
}

// folded takes history as the daemon does: into the log, and what is new into the scores.
type folded struct {
	*project
	learner  *learn.Learner
	sessions *session.Sessions
}

func (f folded) AppendHistory(ctx context.Context, events []event.Event, cursor map[string]string) error {
	_, fresh, err := f.db.AppendCommits(ctx, events, cursor)
	f.learner.Learn(f.sessions, fresh...)
	return err
}

func (folded) Append(context.Context, []event.Event) (int, error) { return 0, nil }
func (folded) Save(context.Context) error                         { return nil }
func (folded) Add(...event.Event)                                 {}

func newProject(t *testing.T) *project {
	t.Helper()
	g := &project{Repo: repotest.New(t)}
	for range 4 {
		g.Commit("base", "a.go", "doc.md")
	}
	return g
}

// read brings what is known to what git has now.
func (g *project) read() *project {
	g.Helper()
	ctx := g.Context()
	if g.set == nil {
		repo := fault.Must(watcher.OpenRepo(ctx, g.Dir, g.Env))
		g.db = fault.Must(cold.Open(ctx, filepath.Join(g.Dir, ".git", "log.db"), cold.Options{Now: time.Now}))
		g.Cleanup(func() { _ = g.db.Close() })
		clock := func() time.Time { return time.Unix(1_600_100_000, 0) } // after all commits
		g.hot = hot.New()
		log, sessions := slog.New(slog.NewTextHandler(io.Discard, nil)), session.New()
		first := New(repo)
		first.refresh(ctx, log)
		g.set = NewSet(Options{Home: repo, Env: g.Env, Settings: config.Open(g.Env, g.TempDir(), "", clock, config.Config{}),
			Now: clock, Info: log, Alert: log, DB: g.db, Hot: g.hot, Sessions: sessions,
			Prefetch: prefetch.New(prefetch.NewState(), sessions, nil, prefetch.Options{}), Replaced: func() bool { return false },
			Events: folded{}}, first)
	}
	g.set.Events = folded{g, learn.New(g.hot), session.New()}
	fault.Check(g, g.set.reconcile(ctx, false))
	return g
}

// knows compares in how many of its commits a file changed together with another, as the checkout
// in a folder has it.
func (g *project) knows(dir string, a, b event.Path, both, all int) {
	g.Helper()
	w := g.set.At(g.Context(), dir)
	commits := fault.Must(w.History(g.Context()))
	if n := commits.Count(a, b); n.Both != both || n.Of != all {
		g.Errorf("%s changed in %d of %d commits of %s, want %d of %d", b, n.Both, n.Of, a, both, all)
	}
	answer := fault.Must(w.Prefetch.Answer(g.Context(), event.Query{Files: []event.Path{a}, At: g.set.Now()}, history.Past{Commits: commits}))
	for _, s := range answer.Suggestions {
		if _, err := os.Stat(w.Repo.Root.Abs(s.File)); err != nil {
			g.Errorf("the answer names %s, which the worktree lacks", s.File)
		}
	}
}

// TestScript runs testdata/script: what is known of the past after what git does. Beside the
// commands of package repotest there are these; each reads first what is new in git:
//
//	base                  make a repository with four commits of a.go and doc.md
//	knows A B BOTH ALL [FOLDER]  B changed in so many commits of A as the checkout in FOLDER has them
//	scored A B            A has a score, B has none
func TestScript(t *testing.T) {
	cmds := repotest.Commands(t)
	at := func(ts *testscript.TestScript) *project {
		return ts.Value("project").(*project).in(repotest.In(t, ts)).read()
	}
	cmds["base"] = func(ts *testscript.TestScript, _ bool, _ []string) {
		cmds["repo"](ts, false, []string{"repo"})
		for range 4 {
			repotest.In(t, ts).Commit("base", "a.go", "doc.md")
		}
	}
	cmds["knows"] = func(ts *testscript.TestScript, _ bool, args []string) {
		dir := ""
		if len(args) > 4 {
			dir = ts.MkAbs(args[4])
		}
		both, all := fault.Must(strconv.Atoi(args[2])), fault.Must(strconv.Atoi(args[3]))
		at(ts).knows(dir, event.Path(args[0]), event.Path(args[1]), both, all)
	}
	cmds["scored"] = func(ts *testscript.TestScript, _ bool, args []string) {
		g := at(ts)
		if got := g.hot.Of(args, g.set.Now(), hot.Churn)[0]; !(got[0] > 3) || got[1] != 0 {
			ts.Fatalf("scores of %v", got)
		}
	}
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true, Cmds: cmds,
		Setup: func(e *testscript.Env) error {
			e.Values["project"] = &project{}
			return repotest.Setup(e)
		}})
}

// in is the same project as a command of a script sees its repository.
func (g *project) in(r *repotest.Repo) *project {
	g.Repo = r
	return g
}

// TestBelow: the files of a folder, those that are used last.
func TestBelow(t *testing.T) {
	g := &project{Repo: repotest.New(t)}
	g.Commit("begin", "b/page.go", "b/other.go", "b/c/page.go", "a/other.go", "ba/page.go")
	for range 4 {
		g.Commit("change", "b/page.go", "a/other.go")
	}
	g.read()
	below := func(dir event.Path) []event.Path {
		return g.set.below(g.set.At(t.Context(), ""), dir)
	}
	got := below("b")
	fault.Same(t, "files of the folder", len(got), 3)
	fault.Same(t, "the used file is the last", got[2], event.Path("b/page.go"))
	fault.Same(t, "an unknown folder", len(below("nowhere")), 0)
	fault.Same(t, "a file", len(below("b/page.go")), 0)
}
