package prefetch

import (
	"context"
	"fmt"

	"github.com/aoa-dev/aoa/internal/event"
)

// Text decides on a text that speaks of no files that a session could open in time: what is at hand, not what comes
// next. It has neither threshold nor outcome here, for whoever found it knows whether it was taken up; it is switched
// like any kind, and its tokens come out of the session's allowance and stand in its ledger. topic tells such texts of
// one time apart. One round trip.
func (p *Prefetcher) Text(ctx context.Context, q event.Query, kind Kind, topic, text string) (Decision, error) {
	tr, ok := traits[kind]
	switch {
	case !ok || !tr.text:
		return Decision{}, fmt.Errorf("say a text of kind %q: this kind names files", kind)
	case !p.o.on(kind):
		return Decision{Why: "off"}, nil
	case text == "":
		return Decision{Why: "nothing"}, nil
	}
	s, err := p.state(ctx, q.Session, q.At)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{Why: string(Shown)}
	if q.Session == "" {
		return d, nil
	}
	if s.Tokens+Tokens(text) > p.o.tokens() {
		return Decision{Why: "spent"}, nil
	}
	e := suggestEvent(q, kind, Shown)
	e.Tokens = Tokens(text)
	e.ID = suggestionID(q.Session, kind, Shown, q.At, []event.Path{event.Path(topic)})
	d.Log = []event.Event{e}
	return d, nil
}
