//go:build !linux

package git

// limitMemory does nothing, because other systems cannot limit the memory of a running process.
// There only the time without output is limited.
func limitMemory(int, uint64) {}
