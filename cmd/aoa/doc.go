// Command aoa remembers what happens in one repository and answers which files come next.
//
// In come arguments, out comes an exit code: stdout is the answer, stderr is talk. Every command but daemon
// and hook is a client of the repository's daemon, which it starts when none is running. `aoa hook` never
// gets here: hooks/client answers it before main.
package main
