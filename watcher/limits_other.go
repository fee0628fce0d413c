//go:build !darwin

package watcher

// kqueue: here a watched folder costs one watch, whatever is in it.
const kqueue = false

func cost(*dir) int { return 1 }

// raiseFileLimit has nothing to raise: the system's own limit is met when adding fails.
func raiseFileLimit() int { return 0 }
