//go:build !linux && !darwin && !windows

package watcher

// networkMount: no cheap way is known here; WatchOptions.Poll decides.
func networkMount(string) bool { return false }
