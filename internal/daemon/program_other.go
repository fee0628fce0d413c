//go:build !linux

package daemon

// releaseProgram does nothing: only Linux says which pages of a file are the process's.
func releaseProgram() {}
