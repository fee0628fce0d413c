// Package change answers what a change breaks and what it lacks.
//
// A Request names the change: what is staged, a range of commits, files, or all that differs from
// HEAD. The Scope is what git says of it: which files it has, whether git is in the middle of a
// merge or a rebase, which files the user's own unpushed commits hold, and which files exist. Check
// asks package index what the change breaks and package prefetch what it lacks, and leaves out what
// the scope and the exceptions of the repository explain. aoa check, the MCP tool and the hint
// partner print the same Answer.
//
// The package starts git, and reads files; it writes nothing and words nothing.
package change
