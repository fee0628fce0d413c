package contexts

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// history is a session, computed from its prompts and actions: the older ones in short, the newer
// ones one by one.
type history struct {
	budget  Budget
	gists   []gist   // older prompts in short
	done    done     // older actions as counts
	prompts []prompt // prompts after those in gists
	actions []Action // actions after those in done
	work    work     // the state after the last action
}

// prompt is one prompt of a session.
type prompt struct {
	seq  int64
	at   time.Time
	text string
	cost int // tokens that it takes at most if it is quoted by itself
}

// gist is an older prompt in short.
type gist struct {
	at   time.Time
	text string
}

const (
	maxThread = 2500 // newest events, which are read
	// In a longer session, the first event that is shown moves in steps of this many numbers of the
	// log, so that the beginning of the context seldom changes.
	threadEnd = 1000
	maxGists  = 12

	// When prompts exceed their budget, they are shortened to this share of it. The rest leaves room
	// for later prompts, so that the beginning of the context, which the agent's model caches, stays
	// the same for a while.
	slack = .6
	// keepWhole is the number of newest prompts, and of newest actions, that are never summarized.
	keepWhole = 3
	// labelTokens is the number of tokens for the time and the quotation marks of a prompt.
	labelTokens = 6
	// gistTokens limits one older prompt, and gistsTokens all of them together.
	gistTokens  = 24
	gistsTokens = 95
)

// history reads a session from the log. The result depends only on the log and the budget, so that
// the beginning of a context stays the same from request to request.
func (s *Assembler) history(ctx context.Context, session string, b Budget) (*history, error) {
	events, err := s.o.DB.Thread(ctx, session, maxThread)
	if err != nil {
		return nil, err
	}
	if len(events) == maxThread {
		start := (events[0].Seq/threadEnd + 1) * threadEnd
		events = slices.DeleteFunc(events, func(e cold.Numbered) bool { return e.Seq < start })
	}
	return historyOf(events, b), nil
}

// historyOf computes a history from events in the order of the log, or in the order of time if some
// events are much older than those before them.
func historyOf(events []cold.Numbered, b Budget) *history {
	h := &history{budget: b, done: newDone()}
	for _, e := range events {
		if e.Kind() != event.KindPrompt {
			if a, ok := action(e); ok {
				h.addAction(a)
			}
		} else if e.Subagent == "" && e.Text() != "" {
			h.addPrompt(prompt{seq: e.Seq, at: e.Time, text: e.Text()})
		}
	}
	return h
}

func (h *history) empty() bool {
	return len(h.prompts)+len(h.actions)+len(h.gists)+len(h.done.facts()) == 0
}

// addPrompt adds a prompt. When the prompts exceed their budget, and not before, the oldest become
// gists.
func (h *history) addPrompt(p prompt) {
	h.work.refused = nil
	p.cost = min(index.Tokens(plain(event.Clip(p.text, 16*caps[0][0]))), caps[0][0]) + labelTokens
	h.prompts = append(h.prompts, p)
	tokens, rest := h.budget.prompts(), caps[0][1]-caps[0][0]
	for _, p := range relevantPrompts(h.prompts) {
		rest += p.cost
	}
	if index.Tokens(h.shortened())+rest <= tokens {
		return
	}
	for len(h.prompts) > keepWhole && index.Tokens(h.shortened())+rest > int(slack*float64(tokens)) {
		h.shorten(h.prompts[0])
		rest -= h.prompts[0].cost
		h.prompts = h.prompts[1:]
	}
}

// shorten adds the gist of a prompt.
func (h *history) shorten(p prompt) {
	if empty(p.text) {
		return
	}
	s := extract(p.text, gistTokens)
	if s == "" || len(h.gists) > 0 && h.gists[len(h.gists)-1].text == s {
		return
	}
	h.gists = append(h.gists, gist{p.at, s})
	for len(h.gists) > 1 && (len(h.gists) > maxGists || index.Tokens(h.shortened()) > gistsTokens) {
		h.dropGist()
	}
}

// dropGist drops the gist with the fewest terms, but not the newest. The first gist weighs more,
// because it tells the subject of the session.
func (h *history) dropGist() {
	least, words := 0, math.Inf(1)
	for i, g := range h.gists[:len(h.gists)-1] {
		n := float64(len(index.Terms(g.text, 8))) + float64(i)/2
		if i == 0 && n > 2 {
			n += 8
		}
		if n < words {
			least, words = i, n
		}
	}
	h.gists = slices.Delete(h.gists, least, least+1)
}

// shortened returns the gists on one line, "" if none exist.
func (h *history) shortened() string {
	if len(h.gists) == 0 {
		return ""
	}
	out := "Earlier prompts, in short: "
	for i, g := range h.gists {
		if i > 0 {
			out += "; "
		}
		out += quote(g.text)
	}
	return out + "."
}

// addAction adds an action. When the actions exceed their budget, and not before, all but the
// newest are counted.
func (h *history) addAction(a Action) {
	h.work.add(a)
	h.actions = append(h.actions, a)
	older, most := len(h.actions)-keepWhole, h.budget.Actions
	if len(h.done.facts()) > 0 {
		most -= int(doneShare * float64(most))
	}
	if older <= 0 || index.Tokens(formatLatest(h.actions)) <= most {
		return
	}
	for _, a := range h.actions[:older] {
		h.done.add(a)
	}
	h.actions = slices.Clone(h.actions[older:])
}
