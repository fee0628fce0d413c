// Package shell finds out which programs a command line ran, and what they did to files.
//
// Follow takes a line of bash, and the Locator that knows the files of the worktree. In one walk it
// collects a Result: the operations in order, each with the files that were read, searched, changed
// or only named, and the programs, each with its class (a check, a commit, …) and whether the
// status of the line is its own. Programs does the same without files, for a line that an event
// kept.
//
// One table knows the programs. Nothing is run and no file is opened. mvdan/sh expands words with
// the variables that the line itself sets; the value of a substitution is not known. PowerShell is
// not parsed. Limits for a line (64 KB, 60 operations, 16 programs, 2,000 simple commands) keep a
// hostile one to a few milliseconds.
package shell
