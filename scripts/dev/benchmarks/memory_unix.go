//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// memoryOf is the most memory that an ended process, or one that it waited for, had at once, in
// bytes.
func memoryOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss << 10
}
