package rank

import (
	"math"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
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
