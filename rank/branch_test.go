package rank

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestAsksBranch: only a question that says nothing is about the branch, and only if its commits or
// its name say something.
func TestAsksBranch(t *testing.T) {
	files := event.Branch{Name: "fix/17", Files: []event.Path{"a.go"}}
	named := event.Branch{Name: "feature/login-redirect"}
	for _, c := range []struct {
		q    event.Query
		want bool
	}{
		{event.Query{Branch: files}, true},
		{event.Query{Branch: named}, true},
		{event.Query{}, false},
		{event.Query{Branch: event.Branch{Name: "patch-1"}}, false},
		{event.Query{Branch: event.Branch{Name: "dev"}}, false},
		{event.Query{Branch: named, Prompt: "x"}, false},
		{event.Query{Branch: named, Session: "s"}, false},
		{event.Query{Branch: named, Files: []event.Path{"a.go"}}, false},
		{event.Query{Branch: named, Tags: []string{"fix"}}, false},
		{event.Query{Branch: named, Task: event.TaskChange}, false},
	} {
		fault.Same(t, fmt.Sprintf("%+v", c.q), AsksBranch(c.q), c.want)
	}
}

// TestBranchAnswers: what a branch changed is answered, the newest first, before what goes with it;
// a name alone is a text.
func TestBranchAnswers(t *testing.T) {
	r := small(t).ranker(Options{})
	branch := event.Branch{Name: "fix/17", Files: []event.Path{"auth/session.go", "cold/db.go"}}
	got := names(rankOf(t, r, event.Query{Branch: branch}))
	if len(got) < 3 || !slices.Contains(got[:3], "auth/session.go") || !slices.Contains(got[:3], "cold/db.go") ||
		!slices.Contains(got[:3], "README.md") {
		t.Errorf("the files of the branch and the partner of one of them: %v", got)
	}
	values, _ := why(t, r, event.Query{Branch: branch}, "cold/db.go")
	if want := 1 / math.Sqrt2; math.Abs(values["branch"]-want) > 1e-9 {
		t.Errorf("branch of the second file is %v, want %v", values["branch"], want)
	}
	if got := names(rankOf(t, r, event.Query{Branch: event.Branch{Name: "fix/cold-schema"}})); len(got) < 2 ||
		!slices.Contains(got[:2], "cold/db.go") {
		t.Errorf("by the name: %v", got)
	}
	with, without := rankOf(t, r, event.Query{Task: event.TaskOpen, Files: []event.Path{"rank/rank.go"}, Branch: branch}), rankOf(t, r,
		event.Query{Task: event.TaskOpen, Files: []event.Path{"rank/rank.go"}})
	if len(with.Suggestions) == 0 || with.Suggestions[0].Score != without.Suggestions[0].Score {
		t.Errorf("a question that names a file is not about the branch: %v, %v", names(with), names(without))
	}
}

// TestTextOnBranch: what a branch changed is no reason for a text, unless the text speaks of the
// change.
func TestTextOnBranch(t *testing.T) {
	r := small(t).ranker(Options{})
	branch := event.Branch{Name: "fix/17", Files: []event.Path{"auth/session.go"}}
	for text, want := range map[string]float64{
		"sessions end too early":          0,
		"this branched off":               0,
		"review my changes":               1,
		"does the last commit log a user": 1,
	} {
		values, _ := why(t, r, event.Query{Prompt: text, Branch: branch}, "auth/session.go")
		fault.Same(t, text, values["branch"], want)
	}
}
