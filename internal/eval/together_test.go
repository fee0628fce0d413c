package eval

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestTogether: the rule lists five files by their common commits, and neither the change itself
// nor what is gone.
func TestTogether(t *testing.T) {
	r := together{}
	for range 2 {
		r.learn(event.Event{Body: event.Commit{Paths: []event.Path{"a", "b", "c", "d", "e", "gone"}}})
	}
	r.learn(event.Event{Body: event.Commit{Paths: []event.Path{"a", "y", "z"}}})
	has := func(p event.Path) bool { return p != "gone" }
	for f, listed := range map[event.Path]bool{"b": true, "e": true, "y": true, "z": false, "a": false, "new": false} {
		if got := r.finds(f, []event.Path{"a"}, has); got != listed {
			t.Errorf("%s is listed: %v", f, got)
		}
	}
}
