// Package shell finds which programs a command line ran, and what they did to files.
//
// A line of bash comes in, with the Locator that knows the files of the worktree. A Result goes
// out, of one walk: the operations in order, each with the files that were read, searched, changed
// or only named; and the programs, each with its class (a check, a commit, …) and whether the
// status of the line is its own. Programs is the same for a line that an event kept, without files.
// One table knows the programs. Nothing is run, and no file is opened: mvdan/sh expands words from
// the variables that the line itself sets, and what a substitution holds is not known. PowerShell
// is not read. A line has bounds (64 KB, 60 operations, 16 programs, 2,000 simple commands), so
// that a hostile one costs at most some milliseconds.
package shell
