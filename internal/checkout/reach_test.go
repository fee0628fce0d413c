package checkout

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

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
	date int
	set  *Set
	hot  *hot.Store
	db   *cold.DB
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
	g := &project{Repo: repotest.New(t), date: 1_700_000_000}
	g.Now = func() time.Time { g.date += 60; return time.Unix(int64(g.date), 0) }
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
		clock := func() time.Time { return time.Unix(int64(g.date), 0) }
		g.hot = hot.New(nil)
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
func (g *project) knows(what, dir string, a, b event.Path, both, all int) {
	g.Helper()
	w := g.set.At(g.Context(), dir)
	commits := fault.Must(w.History(g.Context()))
	if n := commits.Count(a, b); n.Both != both || n.Of != all {
		g.Errorf("%s: %s changed in %d of %d commits of %s, want %d of %d", what, b, n.Both, n.Of, a, both, all)
	}
	answer := fault.Must(w.Prefetch.Answer(g.Context(), event.Query{Files: []event.Path{a}, At: g.set.Now()}, history.Past{Commits: commits}))
	for _, s := range answer.Suggestions {
		if _, err := os.Stat(w.Repo.Root.Abs(s.File)); err != nil {
			g.Errorf("%s: the answer names %s, which the worktree lacks", what, s.File)
		}
	}
}

func TestHistoryAfterCheckout(t *testing.T) {
	g := newProject(t)
	g.Git("checkout", "-q", "-b", "topic")
	g.Commit("topic", "a.go", "new.go")
	g.read().knows("on topic", "", "a.go", "new.go", 1, 5)
	g.Git("checkout", "-q", "main")
	g.read().knows("on main", "", "a.go", "doc.md", 4, 4)
	g.Git("checkout", "-q", "--detach", "HEAD~2")
	g.read().knows("detached", "", "a.go", "doc.md", 2, 2)
	g.Git("checkout", "-q", "topic")
	g.read().knows("on topic again", "", "a.go", "new.go", 1, 5)
}

func TestHistoryAfterRebase(t *testing.T) {
	g := newProject(t)
	g.Git("checkout", "-q", "-b", "topic", "HEAD~1")
	g.Commit("topic", "b.go", "c.go")
	g.Git("mv", "b.go", "d.go")
	g.Commit("moved", "c.go")
	g.read().knows("before", "", "c.go", "d.go", 2, 2)
	g.Git("rebase", "-q", "main")
	g.read().knows("after", "", "c.go", "d.go", 2, 2)
	g.knows("what main has", "", "a.go", "doc.md", 4, 4)
}

func TestHistoryAfterAmend(t *testing.T) {
	g := newProject(t)
	g.Commit("one", "a.go", "b.go")
	g.read().knows("before", "", "a.go", "b.go", 1, 5)
	g.Write("c.go", "new\n")
	g.Git("add", "-A")
	g.Git("commit", "-q", "--amend", "-m", "again")
	g.read().knows("after", "", "a.go", "b.go", 1, 5)
	g.knows("what was added", "", "a.go", "c.go", 1, 5)
}

func TestHistoryAfterReset(t *testing.T) {
	g := newProject(t)
	g.Git("mv", "a.go", "b.go")
	g.Commit("moved", "doc.md")
	g.read().knows("before", "", "doc.md", "b.go", 5, 5)
	g.Git("reset", "-q", "--hard", "HEAD~1")
	g.read().knows("after", "", "doc.md", "a.go", 4, 4)
	g.Git("reset", "-q", "--hard", "ORIG_HEAD")
	g.read().knows("forward again", "", "doc.md", "b.go", 5, 5)
}

func TestHistoryAfterStash(t *testing.T) {
	g := newProject(t).read()
	g.Write("new.go", "new\n")
	g.Git("mv", "a.go", "b.go")
	g.Git("add", "-A")
	g.Git("stash", "-q")
	g.read().knows("stashed", "", "doc.md", "a.go", 4, 4)
	g.Git("stash", "pop", "-q")
	g.read().knows("popped", "", "doc.md", "doc.md", 0, 4)
}

func TestHistoryOfWorktrees(t *testing.T) {
	g := newProject(t)
	linked := g.At(g.Dir + "-linked")
	g.Git("worktree", "add", "-q", "-b", "far", linked.Dir)
	linked.Git("mv", "a.go", "far.go")
	linked.Commit("moved far away", "doc.md", "only.go")
	g.read().knows("here", "", "doc.md", "a.go", 4, 4)
	g.knows("there", linked.Dir, "doc.md", "far.go", 5, 5)
	g.knows("there", linked.Dir, "only.go", "far.go", 1, 1)
	g.knows("what is only there", "", "only.go", "doc.md", 0, 0)
}

// TestHistoryOfARenameElsewhere: a rename on another branch takes no history away, neither the
// commits of a file nor its scores.
func TestHistoryOfARenameElsewhere(t *testing.T) {
	g := newProject(t)
	g.Git("checkout", "-q", "-b", "topic")
	g.Git("mv", "a.go", "moved.go")
	g.Commit("moved", "doc.md")
	g.read().knows("on topic", "", "doc.md", "moved.go", 5, 5)
	scored := func(what string, f, none event.Path) {
		t.Helper()
		v := g.hot.View(g.set.Now())
		got := v.Of(hot.Churn, []string{string(f), string(none)})
		if err := v.Load(t.Context()); err != nil || !(got.Value[0] > 3) || got.Value[1] != 0 {
			t.Errorf("%s: %s and %s have scores of %v (%v)", what, f, none, got.Value, err)
		}
	}
	scored("on topic", "moved.go", "a.go")
	for range 2 {
		g.Git("checkout", "-q", "main")
		g.read().knows("on main", "", "doc.md", "a.go", 4, 4)
		scored("on main", "a.go", "moved.go")
		g.Git("checkout", "-q", "topic")
		g.read().knows("on topic again", "", "doc.md", "moved.go", 5, 5)
		scored("on topic again", "moved.go", "a.go")
	}
	g.Git("checkout", "-q", "main")
	g.Commit("on main", "a.go", "doc.md")
	g.read().knows("a commit after it", "", "doc.md", "a.go", 5, 5)
	g.Git("merge", "-q", "--no-edit", "-X", "ours", "topic")
	g.read().knows("merged", "", "doc.md", "moved.go", 6, 6)
}
