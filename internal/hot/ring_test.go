package hot_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

func TestRings(t *testing.T) {
	s := hot.New(nil)
	fill(t, s, 1, func(b *hot.Batch) {
		w := b.Session("a").Touch(noon)
		for n := int64(1); n <= hot.KeepResults+3; n++ {
			w.Result(hot.Result{Number: n, Clock: 2 * n, Prompt: 1, Listing: n%2 == 1,
				Files: []event.Path{"x y.go", event.Path(fmt.Sprintf("f%d", n))}})
			w.Wording(hot.Wording{Number: n, Clock: n, Prompt: 1, Words: []string{"retry", "limit"}, Idents: []string{"maxretries"}})
		}
	})
	view := session(t, s, "a", noon)
	if len(view.Results) != hot.KeepResults || len(view.Wordings) != hot.KeepWordings {
		t.Fatalf("%d results and %d sayings, want %d and %d", len(view.Results), len(view.Wordings), hot.KeepResults, hot.KeepWordings)
	}
	newest := view.Results[0]
	if newest.Number != hot.KeepResults+3 || newest.Clock != 2*newest.Number || !newest.Listing ||
		!slices.Equal(newest.Files, []event.Path{"x y.go", "f15"}) {
		t.Errorf("newest result %+v", newest)
	}
	if said := view.Wordings[0]; said.Number != hot.KeepResults+3 ||
		!slices.Equal(said.Words, []string{"retry", "limit"}) || !slices.Equal(said.Idents, []string{"maxretries"}) {
		t.Errorf("newest saying %+v", said)
	}
	fill(t, s, 2, func(b *hot.Batch) {
		b.Session("a").Clear(hot.PartSeen).Set("said:0", "damaged").Set("said:1", "x\x00y\x00z\x00\x00")
	})
	if view = session(t, s, "a", noon); len(view.Results) != 0 || len(view.Wordings) != hot.KeepWordings-2 {
		t.Errorf("%d results and %d sayings after the context was emptied and two were damaged", len(view.Results), len(view.Wordings))
	}
}
