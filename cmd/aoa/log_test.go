package main

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLogTellsHintsApart: most hints of the log were never shown to anyone.
func TestLogTellsHintsApart(t *testing.T) {
	for status, want := range map[prefetch.Status]string{prefetch.Shown: "partner: docs/api.md",
		prefetch.Withheld: "partner, withheld to compare: docs/api.md", prefetch.Shadow: "partner, not shown: docs/api.md"} {
		e := event.Event{Body: event.Hint{Name: "partner", Status: string(status), Paths: []event.Path{"docs/api.md"}}}
		fault.Same(t, string(status), (&app{}).what(e), want)
	}
}
