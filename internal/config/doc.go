// Package config reads and writes the settings: thresholds, retention, what is watched and what is
// shown.
//
// An environment, which the caller passes, and at most two YAML files of the user go in, never a
// file that a repository can bring. One checked Config comes out, with the origin of every value.
// The table of rows that Keys returns is the one list of settings: names, defaults, bounds,
// documents, completion and errors are made from it. Set and Unset change one key of one file and
// keep its comments, its order and all other values. The package never guesses: a bad value is an
// error with its line, an unknown key is a warning with the nearest known name.
//
// Settings holds the Config of a running daemon. It is read again when a command has changed it,
// and each row says whether that is enough or the daemon must start again.
package config
