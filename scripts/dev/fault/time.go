package fault

import (
	"testing"
	"time"
)

// Within asks again and again whether so is true, and returns whether it became true within the
// limit. It is for what another process does, which no channel reports. In one process a test waits
// on a channel or uses testing/synctest. The pause grows from 5 to 100 ms: what is asked is often a
// program, and many that ask at once have only each other.
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

// Pass lets time pass where time is a part of the fault: the moment of a kill, a slow network. No
// test depends on its length.
func Pass(d time.Duration) { <-time.After(d) }
