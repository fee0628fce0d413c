// Package change checks a change: what it breaks, and which files it lacks.
//
// A Request names the change: the staged one, a range of commits, files, or everything that differs
// from HEAD. git then says which files the change has, whether a merge or a rebase is in progress,
// which files the user's unpushed commits contain, and which files exist. Check asks package index
// what the change breaks and package prefetch which files are missing. It leaves out findings that
// this state or the exceptions of the repository explain. aoa check, the MCP tool and the hint
// partner all print the same Answer.
//
// The package runs git and reads files. It writes nothing and prints nothing.
package change
