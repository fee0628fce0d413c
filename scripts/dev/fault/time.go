package fault

import (
	"testing"
	"time"
)

// Within calls so repeatedly until it returns true, and reports whether that happened within the
// limit. Use it to wait for another process; within one process a test waits on a channel or uses
// testing/synctest. The pause between two calls grows from 5 to 100 ms, because so often starts a
// program and many tests may wait at once.
func Within(limit time.Duration, so func() bool) bool {
	give := time.After(limit)
	for pause := 5 * time.Millisecond; !so(); pause = min(pause*3/2, 100*time.Millisecond) {
		select {
		case <-time.After(pause):
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

// Pass waits. Use it only if time is part of the fault, as with the moment of a kill or a slow
// network. The result of a test must not depend on the duration.
func Pass(d time.Duration) { <-time.After(d) }
