// Package config is what a person has decided: thresholds, retention, what is watched and what is said.
//
// In come the environment (handed over, never read here) and at most two YAML files; out goes one checked
// Config with the origin of every value. Set and Unset change one key of one file and leave its comments, its
// order and every other byte of meaning alone. It never guesses: a bad value is an error with its line, an
// unknown key a warning with the nearest known name. Loading costs well under a millisecond.
//
// Git is here as well: the git program with settings of ours that win over a repository's own, so that a hostile
// repository starts nothing. It lies in this package because all that ask git may import it.
package config
