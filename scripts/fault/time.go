package fault

import (
	"testing"
	"time"
)

// Within asks every 5 ms whether so is true, and returns whether it became true within the limit. It is for what
// another process does, which no channel reports. In one process a test waits on a channel or uses testing/synctest.
func Within(limit time.Duration, so func() bool) bool {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for give := time.After(limit); !so(); {
		select {
		case <-again.C:
		case <-give:
			return false
		}
	}
	return true
}

// Until is Within, and fails the test after the limit.
func Until(t testing.TB, limit time.Duration, what string, so func() bool) {
	t.Helper()
	if !Within(limit, so) {
		t.Fatalf("not within %s: %s", limit, what)
	}
}

// Pass lets time pass where time is a part of the fault: the moment of a kill, a slow network. No test depends on its
// length.
func Pass(d time.Duration) { <-time.After(d) }
