package session

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Similar is an earlier prompt that is like another, and what it led to.
type Similar struct {
	Session string
	At      time.Time
	Text    string       // as it was said
	Score   float64      // index.Relevance, with vectors its mean with their cosine; in [0,1]
	Files   []event.Path // changed under it, in order
}

// Bounds of the retrieval.
const (
	maxPast       = 2000 // prompts that are looked through, the newest
	topSimilar    = 2    // told
	leastSimilar  = .30  // score from which one is told
	leastShared   = 2    // terms that it must share
	maxTurn       = 200  // events of a turn that are read for its files
	similarTokens = 110
	maxVectors    = 32 // of the best by words are compared by vectors
)

// past is the prompts of all sessions by their terms. Texts stay in the log.
type past struct {
	mu   sync.Mutex
	docs []doc
	last int64 // number of the newest prompt in docs
}

type doc struct {
	seq     int64
	session string
	terms   []string
}

func (p *past) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.docs, p.last = nil, 0
}

// refresh reads the prompts that came since.
func (p *past) refresh(ctx context.Context, db *cold.DB) ([]doc, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh, err := db.Prompts(ctx, p.last, maxPast)
	if err != nil {
		return nil, err
	}
	for _, e := range fresh {
		p.last = e.Seq
		if len(e.Terms) >= leastShared && e.Subagent == "" {
			p.docs = append(p.docs, doc{e.Seq, e.Session, e.Terms})
		}
	}
	p.docs = slices.Clone(p.docs[max(0, len(p.docs)-maxPast):])
	return p.docs, nil
}

// Similar finds the prompts most like a text, best first, at most k, none of them in not. It reads what was said since
// the last call, and the k found ones.
func (h *History) Similar(ctx context.Context, text string, k int, not func(session string, seq int64) bool) ([]Similar, error) {
	terms := index.Terms(text, event.MaxTerms)
	docs, err := h.past.refresh(ctx, h.o.DB)
	if err != nil || len(terms) < leastShared {
		return nil, err
	}
	texts := make([][]string, len(docs))
	for i, d := range docs {
		texts[i] = d.terms
	}
	scores := index.Relevance(texts, terms, leastShared)
	order := make([]int, 0, len(docs))
	for i := range docs {
		if scores[i] > 0 && (not == nil || !not(docs[i].session, docs[i].seq)) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(docs[b].seq, docs[a].seq))
	})
	most := k * 3 // some say the same as others
	if h.o.Embed != nil {
		most = maxVectors
	}
	var out []Similar
	for _, i := range order[:min(len(order), most)] {
		s, err := h.recall(ctx, docs[i])
		if err != nil {
			return nil, err
		}
		s.Score = scores[i]
		if s.Text != "" && !slices.ContainsFunc(out, func(o Similar) bool { return o.Text == s.Text }) {
			out = append(out, s)
		}
	}
	if out, err = h.compareVectors(ctx, text, out); err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(s Similar) bool { return s.Score < leastSimilar })
	return out[:min(len(out), k)], nil
}

// recall reads a prompt and the files that were changed until the next one.
func (h *History) recall(ctx context.Context, d doc) (Similar, error) {
	events, err := h.o.DB.Turn(ctx, d.session, d.seq, maxTurn)
	if err != nil || len(events) == 0 || events[0].Kind != event.KindPrompt {
		return Similar{}, err // it was forgotten meanwhile
	}
	s := Similar{Session: d.session, At: events[0].Time, Text: events[0].Text}
	for _, e := range events[1:] {
		if e.Kind == event.KindPrompt {
			break
		}
		if e.Kind == event.KindEdit || e.Kind == event.KindWrite {
			for _, f := range e.Paths {
				if !slices.Contains(s.Files, f) {
					s.Files = append(s.Files, f)
				}
			}
		}
	}
	return s, nil
}

// compareVectors mixes the likeness of vectors into the scores and sorts anew. Without an Embed it does nothing.
func (h *History) compareVectors(ctx context.Context, text string, found []Similar) ([]Similar, error) {
	if h.o.Embed == nil || len(found) == 0 {
		return found, nil
	}
	texts := []string{text}
	for _, s := range found {
		texts = append(texts, s.Text)
	}
	vectors, err := h.o.Embed(ctx, texts)
	if err != nil || len(vectors) != len(texts) {
		return found, err
	}
	for i := range found {
		found[i].Score = (found[i].Score + index.Cosine(vectors[0], vectors[i+1])) / 2
	}
	slices.SortStableFunc(found, func(a, b Similar) int { return cmp.Compare(b.Score, a.Score) })
	return found, nil
}

// similarTo finds prompts like the one that is asked, other than those that are told anyway.
func (h *History) similarTo(ctx context.Context, r Request, t *thread) ([]Similar, error) {
	told := map[int64]bool{}
	text := r.Prompt
	for _, p := range t.prompts() {
		told[p.seq] = true
		if r.Prompt == "" {
			text = p.prompt
		}
	}
	if t.loose {
		told = nil // their numbers are not the log's: by their text then
	}
	found, err := h.Similar(ctx, text, topSimilar+1, func(session string, seq int64) bool { return session == r.Session && told[seq] })
	found = slices.DeleteFunc(found, func(s Similar) bool {
		return s.Text == text || s.Session == r.Session && slices.ContainsFunc(t.prompts(), func(p item) bool { return p.prompt == s.Text })
	})
	return found[:min(len(found), topSimilar)], err
}

// tellSimilar tells earlier prompts and what they led to.
func tellSimilar(found []Similar, tokens int) string {
	var facts []fact
	for i, s := range found {
		text := "Asked before, " + s.At.Local().Format("Jan 2") + ": " + quote(extract(s.Text, 35))
		if len(s.Files) > 0 {
			text += ", which led to changes of " + strings.Join(short(s.Files, 4), ", ")
		}
		facts = append(facts, fact{text + ".", -i})
	}
	return fit(facts, tokens, func(kept []fact) string {
		var out []string
		for _, f := range kept {
			out = append(out, f.text)
		}
		return strings.Join(out, "\n")
	})
}
