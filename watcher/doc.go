// Package watcher is the house's eye on disk and git: what changed becomes batches of events.
//
// In come a worktree's files, its ignore rules, its history and its saves; out go [event.Event] values of the
// kinds commit, uncommit, rename, save, delete and branch, with paths that git would print. It never decides
// what matters, never writes to the repository, never takes its locks, never touches the network and never
// runs what a repository's configuration asks for (filters, file monitors, text converters, pagers, promisor fetches): [config.Git] sees to that.
// It may cost one git process for a listing or an import (10,000 commits per second and more; 2,500 by the
// own walker when there is no git), some 20 to 100 µs for a look at HEAD, about 1 µs for asking whether a path is
// ignored, and one inotify watch per folder that holds files.
//
// # Two halves
//
// The git half ([OpenRepo], [Repo.Files], [Repo.Ignored], [Repo.Head], [Repo.History]) answers questions. The
// save half ([NewWatcher]) listens. They share the Repo and nothing else.
//
// # Which commits count
//
// A commit counts while it is reachable from the HEAD of a worktree or from origin/HEAD, once, at its
// committer time. Merge commits do not count: what they merged does. The commits at the border of a shallow
// clone do not count either, because git cannot tell what they changed. What a branch lost (amend, rebase,
// reset, a force-push of origin/HEAD) is taken back by an uncommit event; another branch checked out takes
// nothing back, nor does a detached HEAD, which cannot be told from a checkout. While a rebase runs in a
// worktree, that worktree is left alone.
//
// # Renames
//
// A rename is a path deleted and another one added with the same content in one commit: the object ids in
// git's raw output say so, at no further cost and without reading a single blob, which a partial clone might
// not have. A rename with changes in it counts only if, in that commit, one deleted and one added file share
// a name that is not a common one (README, index, main, …). An import walks from new to old and keeps a map from the
// name a file had to the name it has: a commit older than the rename is credited to the newer name, so that
// an import yields the names of today. A path that was reused later stays apart, because commits newer than
// the rename never look at it. Only renames in the history of this worktree's HEAD count; what a side branch
// did under the old name after the rename is caught by a rename event at the end of the import.
package watcher
