package monitor

import (
	"os"
	"runtime"
	"runtime/debug"
	samples "runtime/metrics"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Go's memory limit, in bytes. The budget for 100,000 files is 250 MB.
const (
	leastMemory = 300 << 20
	// for each file of the checkout; with a limit below the memory in use, the garbage collector
	// would run all the time
	fileMemory = 3 << 10
)

// LimitMemory sets Go's memory limit for the given number of files, unless the user has set one.
func LimitMemory(env []string, files int) {
	if !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "GOMEMLIMIT=") }) {
		debug.SetMemoryLimit(max(leastMemory, int64(files)*fileMemory))
	}
}

// Heap returns the size of Go's heap in bytes.
func Heap() int64 {
	objects := []samples.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	samples.Read(objects)
	return int64(objects[0].Value.Uint64())
}

// Resident returns the resident memory in bytes. If the system does not report it, it returns the
// memory that Go got from the system.
func Resident() int64 {
	if raw, err := regularfile.Read("/proc/self/statm", regularfile.NoLinks, 4<<10); err == nil {
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
