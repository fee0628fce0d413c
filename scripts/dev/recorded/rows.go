package recorded

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// eventsOf converts a session's rows into the events that the hooks would have produced. In a
// trace, a shell command comes with the file events and searches that were found in it; hooks
// produce only these.
func eventsOf(session string, rows []Row) Session {
	s := Session{ID: session, Said: map[int]event.Event{}}
	for _, call := range calls(rows) {
		if r := call[0]; r.Said != "" {
			s.Said[len(s.Events)] = event.Event{ID: fmt.Sprintf("%s:%d:stop", session, len(s.Events)), Time: r.Time(),
				Agent: strings.TrimSuffix(r.Agent, "-sub"), Session: session, Body: redact.Said(r.Said)}
		}
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

// eventsOfCall makes the events of one call. What the call named and what it returned belong to its
// last event: only then did the agent see anything.
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
		named = slices.DeleteFunc(named, func(p event.Path) bool { return slices.Contains(e.Paths(), p) })
	}
	last := &out[len(out)-1]
	switch b := last.Body.(type) {
	case event.Prompt:
		b.Named, b.Seen = named, seen
		last.Body = b
	case event.Call:
		b.Named, b.Seen, b.Listing = append(b.Named, named...), seen, listing
		last.Body = b
	}
	return out
}

func eventOf(r Row) (event.Event, bool) {
	e := event.Event{Time: r.Time(), Agent: strings.TrimSuffix(r.Agent, "-sub")}
	if strings.HasSuffix(r.Agent, "-sub") {
		e.Subagent = "sub"
	}
	c := event.Call{Batch: callKey(r.Batch), Tool: r.Tool}
	ok := r.OK == nil || *r.OK
	if !ok {
		c.Failure = event.FailStatus
	}
	p, err := event.NewPath(r.Path)
	switch r.Kind {
	case "prompt":
		e.Body = redact.Identify(event.Prompt{Text: r.Text, Terms: redact.Terms(r.Text, event.MaxTerms),
			Brief: event.Brief(r.Text)})
		return e, true
	case "read", "edit", "write":
		c.Act, c.Paths = event.Act(r.Kind), []event.Path{p}
		ok = ok && err == nil
	case "failed":
		ok, c.Act, c.Failure = true, event.ActOther, cmp.Or(event.Failure(r.Why), event.FailOther)
		if err == nil {
			c.Paths = []event.Path{p}
		}
	case "search":
		ok, c.Act, c.Text, c.Terms = true, event.ActSearch, r.Text, redact.Terms(r.Text+" "+r.Path, event.MaxTerms)
		if err == nil {
			c.Named = []event.Path{p} // A folder is not a file. The replay drops everything that is not in the tree.
		}
	case "bash":
		ok, c.Act, c.Text, c.Terms = true, event.ActRun, r.Text, redact.CommandTerms(r.Text, event.MaxTerms)
	default:
		return e, false
	}
	e.Body = redact.Identify(c)
	return e, ok
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
