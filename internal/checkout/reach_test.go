package checkout

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
	"github.com/aoa-dev/aoa/watcher"
)

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
func (folded) Replaced() bool                                     { return false }

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
		first.Rank(g.hot, sessions, g.db, nil)
		first.refresh(ctx, log)
		g.set = NewSet(Options{Home: repo, Env: g.Env, Settings: config.Open(g.Env, g.TempDir(), "", clock, config.Config{}),
			Now: clock, Info: log, Alert: log, DB: g.db, Hot: g.hot, Sessions: sessions,
			First: prefetch.New(prefetch.NewState(), sessions, first.Ranker, prefetch.Options{}), Store: folded{},
			Events: folded{}}, first)
	}
	g.set.Events = folded{g, learn.New(g.hot), session.New()}
	fault.Check(g, NewHistory(g.set).reconcile(ctx, false))
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
		v := g.hot.View(g.set.Now())
		got := v.Of(hot.Churn, args)
		if err := v.Load(t.Context()); err != nil || !(got.Value[0] > 3) || got.Value[1] != 0 {
			ts.Fatalf("scores of %v (%v)", got.Value, err)
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
		return fault.Must(g.set.below(t.Context(), g.set.At(t.Context(), ""), dir))
	}
	got := below("b")
	fault.Same(t, "files of the folder", len(got), 3)
	fault.Same(t, "the used file is the last", got[2], event.Path("b/page.go"))
	fault.Same(t, "an unknown folder", len(below("nowhere")), 0)
	fault.Same(t, "a file", len(below("b/page.go")), 0)
}
