package reload

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestActions: the parts of a call are one action, those of subagents none. Texts are added later.
func TestActions(t *testing.T) {
	part := func(id string, b event.Body) event.Event { return event.Event{ID: id, Session: "s", Body: b} }
	side := part("t6:post:sub", event.Call{Act: event.ActRead, Paths: []event.Path{"side.go"}})
	side.Subagent = "sub"
	line := "cat a.go; make test"
	var thread []cold.Numbered
	for _, e := range []event.Event{part("p", event.Prompt{}),
		part("t1:post:", event.Call{Act: event.ActRead, Tool: "Read", Paths: []event.Path{"a.go"}, Offset: 3, Blob: "b1"}),
		part("t1:post::1", event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}, Blob: "b2"}),
		part("t1:post::2", event.Call{Act: event.ActList, Paths: []event.Path{"folder"}}),
		part("t2:post:", event.Call{Act: event.ActRead, Tool: "Bash", Paths: []event.Path{"a.go"}}),
		part("t2:post::1", event.Call{Act: event.ActRun, Checks: true, Failure: event.FailStatus, Seen: []event.Path{"b.go"}}),
		part("t3:post:", event.Call{Act: event.ActEdit, Tool: "apply_patch", Paths: []event.Path{"a.go"}}),
		part("t3:post::1", event.Rename{From: []event.Path{"x"}, To: []event.Path{"y"}}),
		part("t3:post::2", event.Call{Act: event.ActWrite, Paths: []event.Path{"b.go"}}),
		part("t4:post:", event.Call{Act: event.ActSearch, Tool: "Grep", Text: "one", Glob: "*.go", Mode: "files"}),
		part("t5:post:", event.Call{Act: event.ActList, Tool: "Glob", Text: "**/*.go"}), side,
		part("save", event.Save{Paths: []event.Path{"a.go"}}), part("gone", event.Delete{Paths: []event.Path{"a.go"}}),
		part("t8:post:", event.Call{Act: event.ActRun, Text: "make"}),
		part("t8:post::1", event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}),
		part("t7:post:", event.Delete{Paths: []event.Path{"a.go"}})} {
		thread = append(thread, cold.Numbered{Event: e})
	}
	got := turnsOf(thread, func(string) bool { return true })[0].actions
	for i := range got {
		in := input{}
		if i == 1 {
			in.Command = line
		}
		got[i].fill(in)
	}
	want := []Action{
		{ID: "t1:post:", Tool: "Read", Act: event.ActOther, Paths: []event.Path{"a.go"}, Offset: 3, OK: true, Cut: true,
			Seen: []string{"b1"}, Parts: 2},
		{ID: "t2:post:", Tool: "Bash", Act: event.ActRun, Command: line, Checks: true, Found: 1, Parts: 1},
		{ID: "t3:post:", Tool: "apply_patch", Act: event.ActOther, Paths: []event.Path{"a.go", "b.go"}, OK: true, Cut: true,
			Seen: []string{"", ""}, Parts: 2},
		{ID: "t4:post:", Tool: "Grep", Act: event.ActSearch, Pattern: "one", Glob: "*.go", Mode: "files", OK: true,
			Seen: []string{}},
		{ID: "t5:post:", Tool: "Glob", Act: event.ActList, Glob: "**/*.go", OK: true, Seen: []string{}},
		{ID: "t8:post:", Act: event.ActRun, Command: "make", OK: true, Parts: 1},
		{ID: "t7:post:", Act: event.ActOther, OK: true, Cut: true},
	}
	fault.Same(t, "actions", got, want)
}

func TestAsks(t *testing.T) {
	for text, want := range map[string]Ask{
		"explain the basket":  {Trigger: Trigger{Type: Prompt}, Text: "explain the basket"},
		"/review 12 closely":  {Trigger: Trigger{Command, "review"}, Text: "12 closely"},
		"/home/x is missing?": {Trigger: Trigger{Type: Prompt}, Text: "/home/x is missing?"},
	} {
		if got, ok := AskOf(event.Event{Body: event.Prompt{Text: text}}); !ok || got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	timer := event.Call{Act: event.ActOther, Tool: event.ToolScheduled, Text: "check the build"}
	if got, ok := AskOf(event.Event{Body: timer}); !ok || got.Type != Prompt || got.Text != "check the build" {
		t.Errorf("scheduled: %+v", got)
	}
	if _, ok := AskOf(event.Event{Body: event.Call{Act: event.ActOther, Tool: event.ToolNotice}}); ok {
		t.Error("a report asks for something")
	}
}
