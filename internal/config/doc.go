// Package config reads and writes the settings.
//
// The input is an environment, which the caller passes, and at most two YAML files of the user. A
// file that comes with a repository is never read. The result is a checked Config that knows where
// each value came from. Keys returns the table of all settings; names, defaults, limits,
// documentation, completion and error messages are generated from it. Set and Unset change one key
// of one file and keep its comments, its order and all other values. A bad value is an error with
// its line. An unknown key is a warning with the most similar known name.
//
// Settings holds the Config of a running daemon. The daemon reads it again when a command has
// changed a setting. Each row of the table says whether the change takes effect then, or only when
// the daemon starts again.
package config
