package eval

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
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
	b, err := NewBacktest(t.Context(), s, Options{}, .7)
	fault.Check(t, err)
	// The last quarter of 122 commits: 15 of both files, 15 of other.go, and the two that are
	// apart.
	counts := []int{b.Commits, b.Complete, b.Spoke, b.LeftOut, b.Named, b.Right}
	fault.Same(t, "commits, complete, spoke, left out, named, right", fmt.Sprint(counts), "[122 30 2 28 28 28]")
	if f := b.Findings; len(f) != 2 || f[0].Commit != "121" || f[1].Commit != "120" || f[0].Missing[0].Later ||
		!f[1].Missing[0].Later || f[1].Missing[0].File != "docs/a.md" {
		t.Errorf("findings %+v", b.Findings)
	}
	if b, err = NewBacktest(t.Context(), Source{}, Options{}, .7); err != nil || b.Complete != 0 || b.Findings == nil {
		t.Errorf("of nothing: %+v, %v", b, err)
	}
}

// TestBacktestKnowsTheRules: what the repository says of its own files today counts for past
// commits, too.
func TestBacktestKnowsTheRules(t *testing.T) {
	d := newTestRepo(t)
	d.Write(".aoa/exceptions", "docs/a.md src/a.go\n")
	d.Write(".gitattributes", "docs/* linguist-generated\n")
	repo, err := watcher.OpenRepo(t.Context(), d.Dir, append(d.Env, "HOME="+t.TempDir()))
	fault.Check(t, err)
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
