package prefetch

import (
	"cmp"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Cost is what a session's hints cost. A text that was shown stays in the conversation, so every later request
// to the model carries it: Carried is the price, Tokens only its beginning.
type Cost struct {
	Session string
	Hints   int // texts that were shown
	Tokens  int // their estimated tokens
	Turns   int // requests to the model after the first of them, as far as prompts and tool calls show
	Carried int // Σ tokens × requests that carried them
}

// Ledger sums up the costs per session, the dearest first. events are prompts, tool calls and suggestions in the
// order of time. Calls that were requested together belong to one request.
func Ledger(events []event.Event) []Cost {
	costs := map[string]*Cost{}
	last := map[string]string{} // session → batch of the request counted last
	for _, e := range events {
		c := costs[e.Session]
		switch {
		case e.Session == "" || e.Agent == "watch":
		case e.Kind == event.KindSuggest && e.Why == string(Shown) && e.Tokens > 0:
			if c == nil {
				c = &Cost{Session: e.Session}
				costs[e.Session] = c
			}
			c.Hints++
			c.Tokens += e.Tokens
		case c == nil || e.Kind == event.KindSuggest || e.Kind == event.KindOutcome || e.Kind == event.KindFeedback:
		case e.Batch != "" && e.Batch == last[e.Session]:
		case e.Kind == event.KindPrompt || e.Kind.Open() || e.Kind == event.KindSearch || e.Kind == event.KindRun || e.Kind == event.KindFailed:
			last[e.Session] = e.Batch
			c.Turns++
			c.Carried += c.Tokens
		}
	}
	out := make([]Cost, 0, len(costs))
	for _, c := range costs {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(b.Carried, a.Carried), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Session, b.Session))
	})
	return out
}
