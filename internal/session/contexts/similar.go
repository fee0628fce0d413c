package contexts

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// similar is an earlier prompt that resembles the present one, and what it led to.
type similar struct {
	session string
	at      time.Time
	text    string       // as it was typed, redacted
	score   float64      // index.Relevance, in [0,1]
	files   []event.Path // files that were changed before the next prompt, in order
}

// Limits of the search for similar prompts.
const (
	maxPrompts    = 2000 // newest prompts, which are compared
	topSimilar    = 2    // prompts that are shown
	leastSimilar  = .30  // least score of a prompt that is shown
	leastShared   = 2    // terms that it must share
	maxTurn       = 200  // events of a turn that are read to find its files
	similarTokens = 110
)

// promptIndex has the terms of the prompts of all sessions. Their texts stay in the log.
type promptIndex struct {
	mu      sync.Mutex
	prompts []indexedPrompt
	last    int64 // number of the newest prompt
}

type indexedPrompt struct {
	seq     int64
	session string
	terms   []string
}

// refresh reads the prompts that were logged since the last call.
func (x *promptIndex) refresh(ctx context.Context, db *cold.DB) ([]indexedPrompt, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	fresh, err := db.Prompts(ctx, x.last, maxPrompts)
	if err != nil {
		return nil, err
	}
	for _, e := range fresh {
		x.last = e.Seq
		if len(e.Terms()) >= leastShared && e.Subagent == "" {
			x.prompts = append(x.prompts, indexedPrompt{e.Seq, e.Session, e.Terms()})
		}
	}
	x.prompts = slices.Clone(x.prompts[max(0, len(x.prompts)-maxPrompts):])
	return x.prompts, nil
}

// similarTo returns the prompts that are most similar to a text, the best first, at most k. Prompts
// for which skip is true are left out; skip may be nil.
func (s *Assembler) similarTo(ctx context.Context, text string, k int,
	skip func(p indexedPrompt) bool) ([]similar, error) {
	terms := s.o.Words(index.Terms(text, event.MaxTerms))
	prompts, err := s.prompts.refresh(ctx, s.o.DB)
	if err != nil || len(terms) < leastShared {
		return nil, err
	}
	texts := make([][]string, len(prompts))
	for i, p := range prompts {
		texts[i] = p.terms
	}
	scores := index.Relevance(texts, terms, leastShared)
	order := make([]int, 0, len(prompts))
	for i, p := range prompts {
		if scores[i] >= leastSimilar && (skip == nil || !skip(p)) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(prompts[b].seq, prompts[a].seq))
	})
	var out []similar
	for _, i := range order[:min(len(order), 3*k)] {
		found, err := s.readTurn(ctx, prompts[i])
		if err != nil {
			return nil, err
		}
		found.score = scores[i]
		if found.text != "" && !slices.ContainsFunc(out, func(o similar) bool { return o.text == found.text }) {
			out = append(out, found)
		}
	}
	return out[:min(len(out), k)], nil
}

// readTurn reads a prompt, and the files that were changed before the next one. The result is empty
// if the prompt was forgotten meanwhile.
func (s *Assembler) readTurn(ctx context.Context, p indexedPrompt) (similar, error) {
	events, err := s.o.DB.Turn(ctx, p.session, p.seq, maxTurn)
	if err != nil || len(events) == 0 || events[0].Kind() != event.KindPrompt {
		return similar{}, err
	}
	out := similar{session: p.session, at: events[0].Time, text: events[0].Text()}
	for _, e := range events[1:] {
		if e.Kind() == event.KindPrompt {
			break
		}
		if e.Edits() {
			for _, f := range e.Paths() {
				if !slices.Contains(out.files, f) {
					out.files = append(out.files, f)
				}
			}
		}
	}
	return out, nil
}

// similarPrompts returns prompts similar to the one that is asked, except those that the context
// contains anyway.
func (s *Assembler) similarPrompts(ctx context.Context, r Request, h *history) ([]similar, error) {
	contained := map[int64]bool{}
	text := r.Prompt
	for _, p := range h.prompts {
		contained[p.seq] = true
		if r.Prompt == "" {
			text = p.text
		}
	}
	found, err := s.similarTo(ctx, text, topSimilar+1, func(p indexedPrompt) bool {
		return p.session == r.Session &&
			contained[p.seq]
	})
	found = slices.DeleteFunc(found, func(f similar) bool {
		return f.text == text || f.session == r.Session &&
			slices.ContainsFunc(h.prompts, func(p prompt) bool { return p.text == f.text })
	})
	return found[:min(len(found), topSimilar)], err
}

// formatSimilar returns earlier prompts and the files that they led to, in at most that many
// tokens.
func formatSimilar(found []similar, tokens int) string {
	var facts []fact
	for i, f := range found {
		text := "Asked before, " + f.at.Local().Format("Jan 2") + ": " + quote(extract(f.text, 35))
		if len(f.files) > 0 {
			text += ", which led to changes of " + short(f.files, 4)
		}
		facts = append(facts, fact{text + ".", -i})
	}
	return fit(facts, tokens, "\n")
}
