package checkout

import (
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestHistoryAskedWhileRead: a reading that began before the question may have missed what is new.
// Its end is not the end.
func TestHistoryAskedWhileRead(t *testing.T) {
	for _, state := range []string{"done", "failed"} {
		r := NewHistory(&Set{HeadMoved: make(chan struct{}, 1)})
		r.Ask()
		r.ended(state, "")
		fault.Same(t, "the state", r.Progress().State, "running")
		<-r.set.HeadMoved
		r.ended(state, "")
		fault.Same(t, "the state", r.Progress().State, state)
	}
}
