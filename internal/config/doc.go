// Package config reads and writes the settings: thresholds, retention, what is watched and what is shown.
//
// An environment, which the caller passes, and at most two YAML files of the user go in, never one that a repository
// can bring. One checked Config comes out, with the
// origin of every value. The tags of Config are the one list of settings: names, defaults, limits and help are read
// from them. Set and Unset change one key of one file and keep its comments, its order and all other values. The
// package never guesses: a bad value is an error with its line, an unknown key is a warning with the nearest known
// name. Loading takes less than a millisecond.
package config
