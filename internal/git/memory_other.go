//go:build !linux

package git

// limitMemory does nothing: no other system bounds the memory of a process that already runs. There
// the time decides.
func limitMemory(int, uint64) {}
