package main

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestPartnersFirst: of a change, files that share commits with it come first, the likeliest of them first, and say so.
func TestPartnersFirst(t *testing.T) {
	alike := event.Reason{Signal: "alike", Value: 1, Weight: 2, Text: "shares rare identifiers"}
	together := event.Reason{Signal: "comod", Value: .5, Weight: 1, Text: "changed together in 3 of 4 commits"}
	list := []event.Suggestion{
		{File: "like.go", Score: .6, Reasons: []event.Reason{alike}},
		{File: "first.go", Score: .5, Reasons: []event.Reason{alike, together}},
		{File: "second.go", Score: .4, Reasons: []event.Reason{together}},
		{File: "never.go", Score: .3, Reasons: []event.Reason{{Signal: "comod", Weight: 1, Text: "none"}}},
	}
	partnersFirst(list)
	for i, want := range []event.Path{"first.go", "second.go", "like.go", "never.go"} {
		if list[i].File != want {
			t.Errorf("place %d has %s, want %s", i, list[i].File, want)
		}
	}
	if got := list[0].Words(); got != together.Text || list[0].Reasons[1] != alike {
		t.Errorf("the reasons are %+v", list[0].Reasons)
	}
}
