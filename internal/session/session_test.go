package session

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFailedSearch: one that named no file or too many, and no search of a file that it names.
func TestFailedSearch(t *testing.T) {
	many := make([]event.Path, mostResults+1)
	for _, tt := range []struct {
		call event.Call
		want bool
	}{{event.Call{Act: event.ActSearch}, true}, {event.Call{Act: event.ActList, Seen: many}, true},
		{event.Call{Act: event.ActSearch, Failure: event.FailStatus}, true},
		{event.Call{Act: event.ActSearch, Seen: many[:2]}, false}, {event.Call{Act: event.ActSearch, Named: many[:1]}, false},
		{event.Call{Act: event.ActRead}, false}} {
		fault.Same(t, fmt.Sprintf("%+v", tt.call), FailedSearch(event.Event{Body: tt.call}), tt.want)
	}
}
