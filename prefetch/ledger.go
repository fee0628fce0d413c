package prefetch

import (
	"cmp"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Cost is what a session's hints cost. A text that was shown stays in the conversation, so every later request
// to the model of that conversation carries it: Carried is the price, Tokens only its beginning.
type Cost struct {
	Session string `json:"session"`
	Hints   int    `json:"hints"`   // texts that were shown
	Tokens  int    `json:"tokens"`  // their estimated tokens
	Turns   int    `json:"turns"`   // requests to the model after the first of them, as far as prompts and tool calls show
	Carried int    `json:"carried"` // Σ tokens × requests that carried them
}

// The price of a text in tokens of input: it is written to the prompt cache once, and read by each later request of
// the conversation.
const (
	written = 1.25
	read    = 0.1
)

// conversation is a session's agent or one of its subagents.
type conversation struct{ session, subagent string }

// requests counts the requests to the model of each conversation, as far as prompts and tool calls show. Calls that
// were requested together belong to one.
type requests map[conversation]*request

type request struct {
	n     int
	batch string // of the last one
}

// count is how many a conversation had so far.
func (r requests) count(by conversation) int {
	if c := r[by]; c != nil {
		return c.n
	}
	return 0
}

// add takes in an event, and reports whether it belongs to a new request.
func (r requests) add(e event.Event) bool {
	switch {
	case e.Agent == "watch":
		return false
	case e.Kind() == event.KindPrompt || e.Opens() || e.Kind() == event.KindSearch || e.Kind() == event.KindRun ||
		e.Kind() == event.KindFailed:
	default:
		return false
	}
	by := conversation{e.Session, e.Subagent}
	if r[by] == nil {
		r[by] = &request{}
	}
	batch := e.Call().Batch
	if batch != "" && batch == r[by].batch {
		return false
	}
	r[by].n++
	r[by].batch = batch
	return true
}

// Ledger sums up the costs per session, the dearest first. events are prompts, tool calls and suggestions in the
// order of time. What a subagent was shown is carried by its own requests.
func Ledger(events []event.Event) []Cost {
	costs := map[string]*Cost{}
	shown := map[conversation]int{} // tokens
	made := requests{}
	for _, e := range events {
		by, c := conversation{e.Session, e.Subagent}, costs[e.Session]
		h, _ := e.Body.(event.Hint)
		switch {
		case e.Session == "":
		case h.Arm == string(Shown) && h.Tokens > 0:
			if c == nil {
				c = &Cost{Session: e.Session}
				costs[e.Session] = c
			}
			c.Hints++
			c.Tokens += h.Tokens
			shown[by] += h.Tokens
		case made.add(e) && shown[by] > 0:
			c.Turns++
			c.Carried += shown[by]
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
