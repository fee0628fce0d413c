package hint

import (
	"context"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

// words is the answer to a question.
type words struct {
	text  string       // "" for nothing
	named []event.Path // the files that text names
	block bool         // Reload: text is a hooks.Block
}

// words puts a decision into words of at most space bytes. There may not be room for all files, or
// for any.
func (g *gathered) words(ctx context.Context, w *checkout.Checkout, q question, d prefetch.Decision, space int) words {
	if q.Kind == prefetch.Reload {
		if len(d.Files()) == 0 && (d.Spent || len(g.offered[0].Files) > 0) {
			return words{}
		}
		return words{text: offer(q.agent, g.offered), block: true}
	}
	var before words
	if !d.Spent {
		before = g.before
	}
	if before.text != "" {
		space -= len(before.text) + 1
	}
	shown := g.candidates.Suggestions(ctx, &d)
	kind := q.Kind
	switch {
	case len(shown) == 0:
		return before
	case q.Kind == prefetch.Prompt:
		w.Places(q.Query.Prompt, shown)
	case q.Kind == prefetch.Search && g.candidates.Ranked():
		kind = sought
		w.Places(searchedFor(q.recent), shown)
	}
	more := andMore(g.more)
	text, named := Text(kind, shown, space-len(more))
	if text == "" {
		return before
	}
	return words{text: strings.TrimPrefix(before.text+"\n"+text+more, "\n"), named: slices.Concat(before.named, named)}
}

// searchedFor returns the text of the failed searches.
func searchedFor(events []event.Event) string {
	var texts []string
	for _, e := range events {
		if session.FailedSearch(e) {
			texts = append(texts, e.Text())
		}
	}
	return strings.Join(texts, "\n")
}
