//go:build !linux && !darwin

package watcher

// networkMount: no cheap way is known here; WatchOptions.Poll decides.
func networkMount(string) bool { return false }
