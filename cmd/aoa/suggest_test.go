package main

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestWorthListing: what is unlikely is listed if it shares commits with the change.
func TestWorthListing(t *testing.T) {
	list := []event.Suggestion{{File: "likely.go", Score: .05},
		{File: "shares.go", Score: .01, Together: &event.Together{Both: 2, Of: 90}},
		{File: "once.go", Score: .01, Together: &event.Together{Both: 1, Of: 9}}, {File: "none.go", Score: .04}}
	got := worthListing(list, false, false)
	if len(got) != 2 || got[0].File != "likely.go" || got[1].File != "shares.go" {
		t.Errorf("%+v", got)
	}
	if got := worthListing(list, true, false); len(got) != 0 {
		t.Errorf("with nothing to go on: %+v", got)
	}
}
