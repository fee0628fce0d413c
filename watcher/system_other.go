//go:build !linux && !darwin

package watcher

import "errors"

func cost(*dir) int { return 1 }

var errMaxWatches = errors.New("there are too few file watches")

// watchLimit returns 0, because the limit is unknown here: adding a watch fails when it is reached.
func watchLimit() int { return 0 }

func watchHint(error) string { return "" }

// networkMount returns false, because there is no cheap way to know on this system;
// WatchOptions.Poll decides.
func networkMount(string) bool { return false }
