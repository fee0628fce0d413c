//go:build !linux && !darwin && !windows

package watcher

// networkMount: no cheap way is known here; `watch.poll` in the configuration decides.
func networkMount(string) bool { return false }
