package recorded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// eventsOf turns a session's rows into the events that the hooks would have made of them. A shell command stands in
// the trace beside the file events and searches that were found in it; hooks make only those of it.
func eventsOf(session string, rows []Row) eval.Session {
	s := eval.Session{ID: session}
	for _, call := range calls(rows) {
		for _, e := range eventsOfCall(call) {
			e.Session, e.ID = session, fmt.Sprintf("%s:%d", session, len(s.Events))
			s.Events = append(s.Events, e.Normalize(e.Time))
			s.Seq = append(s.Seq, call[len(call)-1].Seq)
		}
	}
	return s
}

// calls groups the rows of one call, in the order in which the calls were first recorded.
func calls(rows []Row) [][]Row {
	var out [][]Row
	at := map[string]int{}
	for _, r := range rows {
		key := callKey(r.Call)
		if i, known := at[key]; known && key != "" {
			out[i] = append(out[i], r)
			continue
		}
		at[key] = len(out)
		out = append(out, []Row{r})
	}
	return out
}

// eventsOfCall makes the events of one call. What the call named and what it returned belong to its last event:
// only then did the agent see anything.
func eventsOfCall(call []Row) []event.Event {
	var out []event.Event
	var named, seen []event.Path
	listing := false
	acts := slices.ContainsFunc(call, func(r Row) bool { return r.Kind != "bash" && r.Kind != "commit" })
	for _, r := range call {
		named, seen = join(named, r.Mentions), join(seen, r.Results)
		listing = listing || r.ResultsKind == "listing" && len(r.Results) > 0
		if r.Kind == "commit" || r.Kind == "bash" && acts {
			continue
		}
		if e, ok := eventOf(r); ok {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return nil
	}
	for _, e := range out {
		named = slices.DeleteFunc(named, func(p event.Path) bool { return slices.Contains(e.Paths, p) })
	}
	last := &out[len(out)-1]
	last.Named, last.Seen, last.Listing = append(last.Named, named...), seen, listing
	return out
}

func eventOf(r Row) (event.Event, bool) {
	e := event.Event{Time: r.Time(), Agent: strings.TrimSuffix(r.Agent, "-sub"), Batch: callKey(r.Batch), Tool: r.Tool,
		OK: r.OK == nil || *r.OK}
	if strings.HasSuffix(r.Agent, "-sub") {
		e.Subagent = "sub"
	}
	p, err := event.NewPath(r.Path)
	switch r.Kind {
	case "prompt":
		e.Kind, e.OK = event.KindPrompt, true
		e.Text, e.Terms = r.Text, redact.Terms(r.Text, event.MaxTerms)
	case "read", "edit", "write":
		e.Kind, e.Paths = event.Kind(r.Kind), []event.Path{p}
		return e, err == nil && e.OK
	case "failed":
		e.Kind, e.OK, e.Why = event.KindFailed, false, r.Why
		if err == nil {
			e.Paths = []event.Path{p}
		}
	case "search":
		e.Kind, e.Text, e.Terms = event.KindSearch, r.Text, redact.Terms(r.Text+" "+r.Path, event.MaxTerms)
		if err == nil {
			e.Named = []event.Path{p} // a folder is no file: the replay drops what is not in the tree
		}
	case "bash":
		e.Kind, e.Text, e.Terms = event.KindRun, r.Text, redact.CommandTerms(r.Text, event.MaxTerms)
	default:
		return e, false
	}
	return e, true
}

// join appends the names that are paths, each once.
func join(to []event.Path, names []string) []event.Path {
	for _, n := range names {
		if p, err := event.NewPath(n); err == nil && !slices.Contains(to, p) {
			to = append(to, p)
		}
	}
	return to
}
