package rank

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

func TestManifestsAndDocumentsCommittedLastAreNoEvidence(t *testing.T) {
	w := small(t)
	w.commit(epoch.Add(-time.Hour), "tidy", "rank/rank.go", "CHANGELOG.md", "docs/plan.md")
	r := w.ranker(all(Options{}))
	for prompt, want := range map[string][3]float64{
		"fix the order": {1, 0, 0}, "fix the order, and say so in the changelog": {1, 1, 1}, "the plan is wrong": {1, 0, 1},
	} {
		for i, f := range []event.Path{"rank/rank.go", "CHANGELOG.md", "docs/plan.md"} {
			if got, _ := why(t, r, event.Query{Prompt: prompt}, f); got["fresh_committed"] != want[i] {
				t.Errorf("%q: fresh_committed of %s is %v, want %v", prompt, f, got["fresh_committed"], want[i])
			}
		}
	}
}

func TestWhatIsCommittedLastComesFirst(t *testing.T) {
	w := small(t)
	w.commit(epoch.Add(-2*time.Hour), "say more", "README.md")
	w.commit(epoch.Add(-time.Hour), "tidy", "rank/rank.go", "cold/db.go")
	w.prompt("s", epoch.Add(-time.Minute), "go on")
	r := w.ranker(all(Options{}))
	newest, _ := why(t, r, event.Query{Session: "s"}, "cold/db.go")
	older, _ := why(t, r, event.Query{Session: "s"}, "README.md")
	if newest["fresh_committed"] != 1 || math.Abs(older["fresh_committed"]-1/math.Log2(3)) > 1e-9 {
		t.Errorf("newest %v, the one before %v", newest["fresh_committed"], older["fresh_committed"])
	}
	w.open("s", epoch.Add(-time.Second), "docs/rank.md")
	if got, _ := why(t, w.ranker(all(Options{})), event.Query{Session: "s"}, "cold/db.go"); got["fresh_committed"] != 0 {
		t.Errorf("with a file open: %v", got["fresh_committed"])
	}
}

// TestNamedFilesLead: a file that the session's prompt named leads to its test, although no text of the question
// names it.
func TestNamedFilesLead(t *testing.T) {
	w := newWorld(t, "deep/lead.go", "checks/lead_test.go")
	w.prompt("s", epoch.Add(-time.Minute), "look at deep/lead.go")
	r := w.ranker(all(Options{}))
	got, _ := why(t, r, event.Query{Session: "s", Task: event.TaskPrompt}, "checks/lead_test.go")
	if got["named_pair"] == 0 {
		t.Errorf("%v", got)
	}
}

// TestCut: of too many candidates the most likely stay, and the one that was asked for.
func TestCut(t *testing.T) {
	p := pool{index: map[event.Path]*candidate{}}
	for i, f := range []event.Path{"asked", "low", "high", "middle", "lower"} {
		p.get(f).values[Comod] = []float64{0, .2, .9, .5, .1}[i]
	}
	by := Values{Comod: 1}
	p.cut(2, Model{Weights: by, UnseenWeights: by}, "asked")
	var left []string
	for _, c := range p.list {
		left = append(left, string(c.path))
	}
	slices.Sort(left)
	fault.Same(t, "left", left, []string{"asked", "high", "middle"})
}
