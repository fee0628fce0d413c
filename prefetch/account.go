package prefetch

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Allowance is how many tokens a session may still be spent on it under a kind, at most most: 0 when the kind is switched
// off, or the session's tokens are spent. One round trip.
func (p *Prefetcher) Allowance(ctx context.Context, session string, kind Kind, most int, at time.Time) (int, error) {
	if !p.o.on(kind) {
		return 0, nil
	}
	s, err := p.state(ctx, session, at)
	return max(0, min(most, p.o.tokens()-s.Tokens)), err
}

// Account puts a text's tokens on the ledger, and the files that it names among those that were shown to the session.
// decided are the events of the decision whose files stand in the same text; when none of them was shown, the text
// gets an event of its own. Nothing is predicted of files that are only named: they are not settled.
func Account(q event.Query, kind Kind, text string, named []event.Path, decided []event.Event) []event.Event {
	for i := range decided {
		if decided[i].Why == string(Shown) {
			decided[i].Tokens, decided[i].Named = Tokens(text), named
			return decided
		}
	}
	e := suggestEvent(q, kind, Shown)
	e.Tokens, e.Named = Tokens(text), named
	e.ID = suggestionID(q.Session, kind, Shown, q.At, named)
	return append(decided, e)
}
