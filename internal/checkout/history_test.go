package checkout

import "testing"

// TestHistoryAskedWhileRead: a reading that began before the question may have missed what is new. Its end is not
// the end.
func TestHistoryAskedWhileRead(t *testing.T) {
	for _, state := range []string{"done", "failed"} {
		r := NewHistory(&Set{HeadMoved: make(chan struct{}, 1)})
		r.Ask()
		r.ended(state, "")
		if got := r.Progress().State; got != "running" {
			t.Errorf("%s: the state is %s before the history is read again", state, got)
		}
		<-r.set.HeadMoved
		r.ended(state, "")
		if got := r.Progress().State; got != state {
			t.Errorf("the state is %s, want %s", got, state)
		}
	}
}
