// Command aoa remembers what happens in one repository and answers which files come next.
//
// It reads arguments, prints the answer to stdout and notes to stderr, and returns an exit code.
// Every command except daemon and hook is a client of the repository's daemon, and starts one if
// none is running. Package hooks/client answers `aoa hook`. The command holds no rules about
// scores, hints or sessions: it parses flags, calls the daemon, and prints.
package main
