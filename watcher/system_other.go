//go:build !linux && !darwin

package watcher

import "errors"

func cost(*dir) int { return 1 }

var errMaxWatches = errors.New("there are too few file watches")

// watchLimit is unknown: the system's own is met when adding fails.
func watchLimit() int { return 0 }

func watchHint(error) string { return "" }

// networkMount: no cheap way is known here; WatchOptions.Poll decides.
func networkMount(string) bool { return false }
