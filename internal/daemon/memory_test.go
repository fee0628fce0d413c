package daemon

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestMemoryLimitFollowsTheLiveHeap: where more is alive than the limit allows, the limit grows: below what is
// alive it would keep the collector running without end.
func TestMemoryLimitFollowsTheLiveHeap(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	stop := limitMemory(nil, 16<<20)
	var alive [][]byte
	for range 1024 {
		alive = append(alive, make([]byte, 64<<10))
	}
	fits := func() bool { return debug.SetMemoryLimit(-1) >= 64<<20 }
	for range 1000 { // the limit is set beside the program, soon after a collection
		if runtime.GC(); fits() {
			break
		}
	}
	if !fits() {
		t.Errorf("the limit is %d MB, less than the 64 MB that are alive", debug.SetMemoryLimit(-1)>>20)
	}
	runtime.KeepAlive(alive)
	stop()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("the limit is %d after the end, want %d", got, before)
	}
}

// TestMemoryLimitOfTheUser: a limit that the user has set stays.
func TestMemoryLimitOfTheUser(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer limitMemory([]string{"GOMEMLIMIT=1GiB"}, 16<<20)()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("the limit is %d, want %d", got, before)
	}
}
