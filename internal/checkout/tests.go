package checkout

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// Limits of the search for tests.
const (
	mostBeside = 100 // companions of the change that are looked through
	mostAlike  = 40  // files that share names with a file of the change
	mostTests  = 20  // if the question has no limit
)

// tests returns the tests that belong to a change, at most q.Limit: first those in the change; then
// those that commits changed together with it, or that are a pair with one of its files by name,
// the most probable first; then those that share rare names with its files, such as a test that
// calls a definition. The last ones have the score 0, because no commit tells how probable they
// are.
func (w *Checkout) tests(ctx context.Context, q event.Query) (event.Answer, error) {
	limit := cmp.Or(q.Limit, mostTests)
	q.Task, q.Limit = event.TaskChange, mostBeside
	past, err := w.Asked(ctx, q)
	if err != nil {
		return event.Answer{}, err
	}
	ans, err := w.Prefetch.Answer(ctx, q, past)
	if err != nil {
		return ans, err
	}
	files := prefetch.ChangeOf(q)
	var out []event.Suggestion
	add := func(s event.Suggestion) {
		if !testOf(files, s.File) {
			return
		}
		has := func(x event.Suggestion) bool { return x.File == s.File }
		if index.KindOf(s.File) == index.KindTest && w.Tree().Has(s.File) && !slices.ContainsFunc(out, has) {
			out = append(out, s)
		}
	}
	for _, f := range files {
		add(event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{{Text: "it is part of the change"}}})
	}
	for _, s := range ans.All() {
		pair := slices.ContainsFunc(files, func(f event.Path) bool { return f.PairStem() == s.File.PairStem() })
		if pair || s.Together != nil && s.Together.Both >= prefetch.LeastShared {
			add(s)
		}
	}
	for _, f := range files {
		for _, hit := range w.Reader.Contents().Alike(f, mostAlike) {
			add(event.Suggestion{File: hit.Path,
				Reasons: []event.Reason{{Text: "it shares names with " + f.Display(), With: f}}})
		}
	}
	ans.Usual, ans.Suggestions, ans.Confidence = nil, out[:min(len(out), limit)], 0
	if len(out) > 0 {
		ans.Confidence = out[0].Score
	}
	return ans, nil
}

// testOf reports whether a file can be a test of a change and not a fixture: it is a pair with one
// of the files by name, or its name marks it as a test, or it is written in the language of one of
// them. A document that tests read, for example, is usually none of these. A change without a
// program does not restrict the language.
func testOf(files []event.Path, f event.Path) bool {
	name, _, _ := strings.Cut(f.Base(), ".")
	if f.Stem() != strings.ToLower(name) || strings.Contains(f.Base(), ".test.") || strings.Contains(f.Base(), ".spec.") {
		return true
	}
	program := false
	for _, p := range files {
		if p.PairStem() == f.PairStem() || p.Ext() == f.Ext() {
			return true
		}
		program = program || index.KindOf(p) == index.KindSource
	}
	return !program
}
