package daemon_test

import (
	"testing"

	"github.com/gofrs/flock"
)

// TestEndedBeforeTheLockIsFree: what a daemon does at its end it does before the next daemon can begin, so it undoes
// nothing of the next one's.
func TestEndedBeforeTheLockIsFree(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	called := false
	d.o.Ended = func() {
		called = true
		if free, err := flock.New(d.o.Place.Lock()).TryLock(); free || err != nil {
			t.Errorf("the lock is free: %v, %v", free, err)
		}
	}
	d.start()
	d.stop()
	if !called {
		t.Error("Ended was not called")
	}
}
