package main

import (
	"math"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// TestConfidence: scores that promise too much come down to what came true, in a repository that
// took no part, and a file counts when it is likelier than before.
func TestConfidence(t *testing.T) {
	var found []lessons
	for r := range 8 {
		l := lessons{Name: string(rune('a'+r)) + "/x"}
		for i := range 300 {
			a := asked{query: event.Query{Task: event.TaskPrompt, Session: "s", Prompt: "mend the parser of settings"}, opens: i%2 == 0}
			z := float64(i%30)/10 - 1
			p := 1 / (1 + math.Exp(-(z - 1))) // the score says z
			a.files = []candidate{{file: event.Path(rune(1000 + i)), text: 1, used: a.opens && float64(i*7%300)/300 < p,
				at: prefetch.FileFeatures{Class: prefetch.PromptOther, Logit: z, First: 1}}}
			l.asked = append(l.asked, a)
		}
		found = append(found, l)
	}
	f := fileOfPromises(found)
	if m := f.Measured; m["ece.prompt"] > .03 || m["promises.confident"] >= m["promises.ranked"] {
		t.Errorf("measured %v", m)
	}
	opens := f.Confidence.List.Opens.Probability(prefetch.ListFeaturesOf(found[0].asked[0].query, prefetch.Turn{}, nil))
	if opens < 0 || opens > 1 {
		t.Errorf("a turn opens files with %v", opens)
	}
	l := lessons{asked: []asked{found[0].asked[0], found[0].asked[0], found[0].asked[0]}}
	for i, z := range []float64{0, 1, .5} {
		l.asked[i].files = []candidate{{file: "a", at: prefetch.FileFeatures{Logit: z}}}
	}
	n := 0
	if l.promises(&prefetch.Confidence{}, func(*asked, *candidate, float64) { n++ }); n != 2 {
		t.Errorf("%d promises of a file at 0, 1 and .5, want 2", n)
	}
}
