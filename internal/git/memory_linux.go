package git

import "golang.org/x/sys/unix"

// limitMemory bounds what a process has of its own memory. Files that it maps, as the packs of a
// repository, are not in it. A process that has ended has no bound to be set, so errors do not
// matter.
func limitMemory(pid int, bytes uint64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}, nil)
}
