// Command aoa learns from what happens in one repository which files belong together, and answers
// which files come next and what a change lacks.
//
// It parses arguments, prints the answer to stdout and notes to stderr, and returns an exit code.
// Every command except daemon and hook is a client of the repository's daemon, and starts one if
// none is running. Package hooks/client implements `aoa hook`. The command itself decides nothing
// about scores, hints or sessions: it parses flags, calls the daemon, and prints.
package main
