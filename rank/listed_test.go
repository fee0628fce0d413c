package rank

import (
	"context"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// why returns the values of a file's reasons.
func why(t *testing.T, r *Ranker, q event.Query, f event.Path) (map[string]float64, event.Suggestion) {
	t.Helper()
	q.At, q.Explain = epoch, true
	s, err := r.Why(context.Background(), q, f)
	fault.Check(t, err)
	out := map[string]float64{}
	for _, reason := range s.Reasons {
		out[reason.Signal] = reason.Value
	}
	return out, s
}

func all(o Options) Options {
	o.Models = curious()
	return o
}

func TestListedFiles(t *testing.T) {
	w := small(t)
	w.prompt("s", epoch.Add(-4*time.Minute), "where is it")
	list := func(at time.Time, files ...event.Path) {
		w.happen(event.Event{Time: at, Session: "s", Body: event.Call{Act: event.ActSearch, Seen: files,
			Listing: true}})
	}
	list(epoch.Add(-3*time.Minute), "README.md", "rank/rank.go", "cold/db.go", "docs/rank.md")
	w.open("s", epoch.Add(-2*time.Minute), "rank/rank.go")
	list(epoch.Add(-time.Minute), "docs/rank.md")
	got, _ := why(t, w.ranker(all(Options{})), event.Query{Session: "s"}, "cold/db.go")
	if got["listed_fresh"] != .5 || got["unseen"] != 0 {
		t.Errorf("a file was opened since the list: %v", got)
	}
	got, _ = why(t, w.ranker(all(Options{})), event.Query{Session: "s"}, "docs/rank.md")
	if got["listed_fresh"] != 1 || got["mentioned"] <= .5 {
		t.Errorf("the only file of the newest list: %v", got)
	}
}

func TestUnusableWeights(t *testing.T) {
	for _, text := range []string{"", "{}", `{"tasks":{"prompt":{"weights":{"luck":1}},"open":{},"change":{}}}`} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q is taken for weights", text)
		}
	}
	if _, err := Parse(shipped); err != nil {
		t.Error(err)
	}
}

// TestKindOfFileThatIsAsked: a test comes before its source if the text asks for tests, and an
// image never does.
func TestKindOfFileThatIsAsked(t *testing.T) {
	w := small(t)
	w.tree.Add("rank/score.go", "rank/score_test.go", "docs/score.png")
	c := index.NewContents()
	for _, p := range w.tree.All() {
		c.Set(p, []byte("package rank // the score of a ranking\nfunc Score() {}\n"))
	}
	r := w.ranker(all(Options{Contents: func() *index.Contents { return c }}))
	place := func(prompt string, f event.Path) int {
		for i, fit := range r.Fits(prompt) {
			if fit.File == f {
				return i
			}
		}
		return 1 << 10
	}
	if place("score is wrong for empty files", "rank/score.go") > place("score is wrong for empty files",
		"rank/score_test.go") {
		t.Error("a test comes before the source that it tests")
	}
	asked := "add a test for the score of empty files"
	if before := place("score is wrong for empty files", "rank/score_test.go"); place(asked,
		"rank/score_test.go") > before {
		t.Error("who asks for a test gets it later than who does not")
	}
	for _, s := range rankOf(t, r, event.Query{Prompt: "the score of the image", Limit: 50}).Suggestions {
		if s.File == "docs/score.png" {
			t.Errorf("an image takes a place: %v", s)
		}
	}
}
