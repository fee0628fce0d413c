package contexts

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// prefixes adds up how much of each request a prompt cache has seen in the one before.
type prefixes struct {
	before          string
	tokens, cached  int
	requests, whole int // requests of which all that went before was kept
}

// send is a request: its tokens, and those of the longest common beginning with the one before.
func (p *prefixes) send(text string) {
	n := 0
	for n < len(text) && n < len(p.before) && text[n] == p.before[n] {
		n++
	}
	if n == len(p.before) {
		p.whole++
	}
	p.tokens += index.Tokens(text)
	p.cached += n / 4
	p.requests++
	p.before = text
}

func (p *prefixes) share() float64 { return float64(p.cached) / float64(max(1, p.tokens)) }

// fresh is what a request reads again on average.
func (p *prefixes) fresh() int { return (p.tokens - p.cached) / max(1, p.requests) }

func (p *prefixes) String() string {
	return fmt.Sprintf("cached %.1f%%, %d tokens a request, %d of them again", 100*p.share(), p.tokens/max(1, p.requests),
		p.fresh())
}

// chronicle is the other order: prompts and actions as they came, each in the words that a context would use.
type chronicle []string

func (c *chronicle) add(e event.Event) {
	if h := historyOf(numbered(e), DefaultBudget); len(h.prompts) > 0 {
		*c = append(*c, "Prompt: "+quote(extract(h.prompts[0].text, caps[0][1])))
	} else if s := formatLatest(h.actions); s != "" {
		*c = append(*c, s)
	}
}

// text is the newest lines that fit: a window over the chronicle; tokens 0 is all of it.
func (c chronicle) text(tokens int) string {
	first, used := len(c), index.Tokens(preamble)
	for first > 0 && (tokens == 0 || used+index.Tokens(c[first-1]) <= tokens) {
		first--
		used += index.Tokens(c[first])
	}
	out := preamble
	for _, line := range c[first:] {
		out += "\n" + line
	}
	return out
}

// orders replays a session: after every event a request is made, in either order.
func orders(t testing.TB, events []event.Event) (segmented, window, all prefixes) {
	r := newContextFixture(t)
	var c chronicle
	for _, e := range events {
		r.log(t, e)
		before := len(c)
		if c.add(e); len(c) == before {
			continue // nothing that a context tells
		}
		segmented.send(r.context(t, Request{Session: e.Session}).Text())
		window.send(c.text(DefaultBudget.Total))
		all.send(c.text(0))
	}
	return segmented, window, all
}

// TestOrderOfSegments: in the segmented order more of a request is what the one before began with than in a window of
// the same size over the order of time.
func TestOrderOfSegments(t *testing.T) {
	segmented, window, all := orders(t, long(40).events)
	if segmented.share() < window.share()+.2 || segmented.requests < 100 {
		t.Errorf("segmented %v, by time %v", &segmented, &window)
	}
	if all.share() < .9 {
		t.Error("what is only appended to is cached: the simulator is wrong")
	}
}
