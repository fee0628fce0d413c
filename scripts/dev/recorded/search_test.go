package recorded

import (
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSearchFailed: a search fails if it names no file or more than 30. Its truth is what the turn
// opens next.
func TestSearchFailed(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	call := func(act event.Act, c event.Call) event.Event { c.Act = act; return event.Event{Body: c} }
	prompt := event.Event{Body: event.Prompt{Text: "go"}}
	open := call(event.ActRead, event.Call{Paths: []event.Path{"a.go"}})
	var many []event.Path
	for i := range manyFound + 1 {
		many = append(many, event.Path("f"+string(rune('a'+i))))
	}
	commit := event.Event{Time: at, Body: event.Commit{Paths: append([]event.Path{"a.go", "b.go"}, many...)}}
	for name, c := range map[string]struct {
		search event.Call
		then   []event.Event
		want   string // "nothing", "much", or none
	}{
		"nothing":          {event.Call{}, []event.Event{open}, "nothing"},
		"too much":         {event.Call{Seen: many, Listing: true}, []event.Event{open}, "much"},
		"found":            {event.Call{Seen: many[:3], Listing: true}, []event.Event{open}, ""},
		"of a named file":  {event.Call{Named: []event.Path{"b.go"}}, []event.Event{open}, ""},
		"the turn is over": {event.Call{}, []event.Event{prompt, open}, "nothing, and nothing is opened"},
	} {
		seen := call(event.ActSearch, event.Call{Seen: []event.Path{"b.go"}, Listing: true}) // results are recorded
		s := Session{ID: "s", Events: append([]event.Event{prompt, seen, call(event.ActSearch, c.search)}, c.then...)}
		for i := range s.Events {
			s.Events[i].Time = at.Add(time.Duration(1+i) * time.Minute)
		}
		items, tracks := timeline(Source{Source: eval.Source{Commits: []event.Event{commit}}, Sessions: []Session{s}})
		label(items)
		got, is := tracks[0].units[2].search(), ""
		if got != nil {
			if is = "much"; got.Nothing {
				is = "nothing"
			}
			if len(got.Opened) == 0 {
				is += ", and nothing is opened"
			} else {
				fault.Same(t, name+": opened", got.Opened, []event.Path{"a.go"})
			}
		}
		fault.Same(t, name, is, c.want)
	}
}
