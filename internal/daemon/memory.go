package daemon

import (
	"os"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
)

// MemoryLimit is GOMEMLIMIT unless the user set one, in bytes: the budget for 100,000 files is 300 MB.
const MemoryLimit = 300 << 20

// memoryLimit keeps Go's memory limit above the live heap. When the limit is below what is alive, every few bytes that are
// allocated start a collection that finds nothing: a daemon that does nothing takes a whole processor. A repository that
// needs more than the limit gets a limit of what it needs and a quarter more.
type memoryLimit struct {
	least   int64
	set     int64
	stopped atomic.Bool
}

// limitMemory sets the memory limit until stop is called, unless the user has set one.
func limitMemory(env []string, least int64) (stop func()) {
	for _, kv := range env {
		if strings.HasPrefix(kv, "GOMEMLIMIT=") {
			return func() {}
		}
	}
	m := &memoryLimit{least: least, set: least}
	before := debug.SetMemoryLimit(least)
	m.fit()
	m.watch(new([16]byte))
	return func() {
		m.stopped.Store(true)
		debug.SetMemoryLimit(before)
	}
}

// watch fits the limit after each collection: nothing else knows when the live heap has changed, and a timer would wake an
// idle daemon.
func (m *memoryLimit) watch(sentinel *[16]byte) {
	runtime.SetFinalizer(sentinel, func(s *[16]byte) {
		if !m.stopped.Load() {
			m.fit()
			m.watch(s)
		}
	})
}

// fit makes the limit what the last collection found alive and a quarter more, at least the least one. It is set when it
// differs by a sixteenth, because to set it stops the program for a moment.
func (m *memoryLimit) fit() {
	live, beside := liveMemory()
	limit := max(m.least, live+live/4+beside)
	if change := limit - m.set; change > m.set/16 || change < -m.set/16 {
		debug.SetMemoryLimit(limit)
		m.set = limit
	}
}

// liveMemory is what the last collection found alive on the heap, and what Go has from the system beside the heap.
func liveMemory() (live, beside int64) {
	s := []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	runtimemetrics.Read(s)
	beside = int64(s[1].Value.Uint64()) //nolint:gosec // no system has 2^63 bytes
	for _, heap := range s[2:] {
		beside -= int64(heap.Value.Uint64()) //nolint:gosec // as above
	}
	return int64(s[0].Value.Uint64()), beside //nolint:gosec // as above
}

// rss is the resident memory in bytes; where the system does not report it, what Go got from it.
func rss() int64 {
	if raw, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(raw)); len(f) > 1 {
			if pages, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}
