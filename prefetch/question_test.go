package prefetch_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

func TestQuestions(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	q := event.Query{Session: "s", At: at}
	change, pair := q, q
	change.Task, change.Files = event.TaskChange, []event.Path{"a.go", "b.go"}
	pair.Task, pair.Current, pair.Files = event.TaskChange, "b.go", []event.Path{"b.go"}
	facts := []prefetch.Question{{Kind: prefetch.Rescue, Query: q, Facts: true}, {Kind: prefetch.Stale, Query: q, Facts: true}}
	asked := event.Query{Session: "s", Prompt: "fix it", At: at.Add(-time.Hour)}
	prompt := asked
	prompt.At = at
	edited := []event.Event{{Kind: event.KindEdit, Paths: []event.Path{"a.go"}}, {Kind: event.KindWrite, Paths: []event.Path{"b.go"}},
		{Kind: event.KindFailed, Paths: []event.Path{"c.go"}}}
	for what, c := range map[string]struct {
		o    prefetch.Occasion
		want []prefetch.Question
	}{
		"nothing happened": {prefetch.Occasion{Query: q}, facts},
		"a prompt": {prefetch.Occasion{Query: q, Asked: &asked, Kind: prefetch.Prompt},
			append(facts[:2:2], prefetch.Question{Kind: prefetch.Prompt, Query: prompt})},
		"edits": {prefetch.Occasion{Query: q, Recent: edited, Edited: []event.Path{"a.go", "b.go"}},
			append(facts[:2:2], prefetch.Question{Kind: prefetch.Partner, Query: change}, prefetch.Question{Kind: prefetch.Pair, Query: pair})},
		"an edit that is not learned yet": {prefetch.Occasion{Query: q, Recent: edited, Edited: []event.Path{"a.go"}},
			append(facts[:2:2], prefetch.Question{Kind: prefetch.Partner, Query: change}, prefetch.Question{Kind: prefetch.Pair, Query: pair})},
		"partners at the stop": {prefetch.Occasion{Query: q, Recent: edited, Edited: []event.Path{"a.go", "b.go"}, AtStop: true},
			append(facts[:2:2], prefetch.Question{Kind: prefetch.Pair, Query: pair})},
	} {
		if diff := cmp.Diff(c.want, prefetch.Questions(c.o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}
