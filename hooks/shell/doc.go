// Package shell finds what a command line did to files.
//
// A line of bash or PowerShell comes in, with the Locator that knows the files of the worktree. Operations go out:
// which files were read, searched, changed, moved, removed or only named, in order. Programs come out of a line that an
// event kept: what each is, and whether the status of the line is its own. One table knows the programs. Nothing is
// run, and no file is opened: what a variable or a substitution holds is known only if the line itself says it. A line
// has bounds (64 KB, 60 operations, 2,000 simple commands), so that a hostile one costs at most some milliseconds.
package shell
