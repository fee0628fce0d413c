package hint

import (
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestQuestions(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	q := event.Query{Session: "s", At: at}
	change := q
	change.Task, change.Files = event.TaskChange, []event.Path{"a.go", "b.go"}
	facts := []prefetch.Question{{Kind: prefetch.Rescue, Query: q}, {Kind: prefetch.Stale, Query: q}}
	asked := event.Query{Task: event.TaskPrompt, Session: "s", Prompt: "fix it", At: at.Add(-time.Hour)}
	prompt := asked
	prompt.At = at
	edited := []event.Event{{Body: event.Call{Act: event.ActEdit, Paths: []event.Path{"a.go"}}},
		{Body: event.Call{Act: event.ActWrite, Paths: []event.Path{"b.go"}}},
		{Body: event.Call{Act: event.ActRead, Failure: event.FailOther, Paths: []event.Path{"c.go"}}}}
	both := []event.Path{"a.go", "b.go"}
	for what, c := range map[string]struct {
		asked  *event.Query
		recent []event.Event
		change []event.Path
		want   []prefetch.Question
	}{
		"nothing happened":     {want: facts},
		"a prompt":             {asked: &asked, want: append(facts[:2:2], prefetch.Question{Kind: prefetch.Prompt, Query: prompt})},
		"edits":                {recent: edited, want: facts},
		"a look at the change": {change: both, want: append(facts[:2:2], prefetch.Question{Kind: prefetch.Partner, Query: change})},
		"a search that found nothing": {recent: []event.Event{{Body: event.Call{Act: event.ActSearch}}},
			want: []prefetch.Question{facts[0], {Kind: prefetch.Search, Query: q}, facts[1]}},
	} {
		fault.Same(t, what, questionsOf(q, c.asked, c.recent, c.change), c.want)
	}
}

// TestLooksAtChange: after a check that failed the change is not complete.
func TestLooksAtChange(t *testing.T) {
	run := func(c event.Call) event.Event {
		c.Act = event.ActRun
		return event.Event{Body: c}
	}
	for what, c := range map[string]struct {
		e    event.Event
		want bool
	}{
		"git diff":                      {run(event.Call{Looks: true}), true},
		"a check that passed":           {run(event.Call{Checks: true, Exit: "0"}), true},
		"one that failed":               {run(event.Call{Checks: true, Exit: "1", Failure: event.FailStatus}), false},
		"one whose status is not known": {run(event.Call{Checks: true}), false},
		"another command":               {run(event.Call{}), false},
		"a read":                        {event.Event{Body: event.Call{Act: event.ActRead}}, false},
	} {
		if got := looksAtChange(c.e); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}
