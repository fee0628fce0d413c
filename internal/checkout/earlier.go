package checkout

import (
	"cmp"
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Limits of the search for earlier work.
const (
	earlierCommits = 300 // newest commits of a file
	earlierEdits   = 50  // newest edits of a file by agents
	mostEarlier    = 2   // pieces of earlier work that are named for a file
	earlierText    = 120 // bytes of a subject or a prompt
)

// Earlier adds to each of the first files the earlier work on it whose words are most similar to
// the text: commits by their messages, and turns of sessions by their prompts. It reads the log,
// which takes some milliseconds for each file.
func (w *Checkout) Earlier(ctx context.Context, text string, shown []event.Suggestion) error {
	words, spelled := index.Terms(text, event.MaxTerms), index.Spellings(text)
	if len(words) == 0 {
		return nil
	}
	for i := range shown[:min(len(shown), maxListed)] {
		s := &shown[i]
		commits, err := w.db.Log(ctx, cold.LogFilter{File: s.File, Kinds: []event.Kind{event.KindCommit},
			Limit: earlierCommits})
		if err != nil {
			return err
		}
		turns, err := w.turns(ctx, s.File)
		if err != nil {
			return err
		}
		s.Earlier = like(words, spelled, slices.Concat(turns, commits))
	}
	return nil
}

// turns returns the prompts after which agents changed a file, the newest first, each once.
func (w *Checkout) turns(ctx context.Context, f event.Path) (out []event.Event, err error) {
	edits, err := w.db.Log(ctx, cold.LogFilter{File: f, Kinds: []event.Kind{event.KindEdit, event.KindWrite},
		Limit: earlierEdits})
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		if e.Session == "" {
			continue
		}
		prompts, err := w.db.Log(ctx, cold.LogFilter{Session: e.Session, Kinds: []event.Kind{event.KindPrompt},
			Until: e.Time, Limit: 1})
		if err != nil {
			return nil, err
		}
		for _, p := range prompts {
			if !slices.ContainsFunc(out, func(x event.Event) bool { return x.ID == p.ID }) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// like returns the pieces of work whose words are most similar to those of a question (see
// index.Relevance). Of equal ones the newest comes first. words are terms; spelled has their
// spelling in the question.
func like(words []string, spelled map[string]string, work []event.Event) (out []event.Earlier) {
	terms, all := make([][]string, len(work)), make([]int, len(work))
	for i, e := range work {
		terms[i], all[i] = index.Terms(e.Text(), event.MaxTerms), i
	}
	share := index.Relevance(terms, words, 1)
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	for _, i := range all[:min(len(all), mostEarlier)] {
		if share[i] == 0 {
			break
		}
		x := event.EarlierOf(work[i], earlierText)
		for _, t := range words {
			if slices.Contains(terms[i], t) {
				x.Words = append(x.Words, spelled[t])
			}
		}
		out = append(out, x)
	}
	return out
}
