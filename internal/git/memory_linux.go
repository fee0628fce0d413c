package git

import "golang.org/x/sys/unix"

// limitMemory limits the private memory of a process. Mapped files, such as the packs of a
// repository, are not counted. Errors are ignored: they only mean that the process has already
// ended.
func limitMemory(pid int, bytes uint64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}, nil)
}
