//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// memoryOf returns the largest memory of an ended process, or of one that it waited for, in bytes.
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
