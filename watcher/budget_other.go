//go:build !linux

package watcher

// Only Linux limits the watches of a user.
func maxUserWatches() int { return 0 }
func usedWatches() int    { return 0 }
