// Package watcher turns changes on disk and in git into batches of events.
//
// It reads the files of a worktree, its ignore rules, its history, and the system's reports about
// changed files. It returns [event.Event] values of the kinds commit, uncommit, rename, save,
// delete and branch, with the paths that git prints. The package does not decide which of them
// matter. It never writes to the repository, takes its locks, uses the network, or runs programs
// that a repository's settings name (filters, file monitors, text converters, pagers, promisor
// fetches); package git prevents that.
//
// A listing or an import costs one git process, which reads 10,000 commits per second and more.
// Reading HEAD takes 20 to 100 µs, deciding whether a path is ignored some µs, and each folder
// that has files takes one inotify watch.
//
// # Two parts
//
// [OpenRepo], [Repo.Files], [Repo.Ignored], [Repo.Head], [Repo.Branch] and [Repo.History] answer
// questions about a repository. [NewWatcher] reports saves. [ReadLog] is the only parser of `git
// log`; the evaluation uses it, too.
//
// # Which commits count
//
// A commit counts once, at the time when it was committed, as long as it is reachable from the HEAD
// of a worktree or from origin/HEAD. Merge commits do not count, but the commits that they merged
// do. Commits at the border of a shallow clone do not count, because git cannot see what they
// changed. If a branch loses commits (amend, rebase, reset, a force-push of origin/HEAD), an
// uncommit event takes them back. Checking out another branch takes nothing back, and neither does
// a detached HEAD, which looks the same. A worktree in the middle of a rebase is left out.
//
// # Renames
//
// A rename is one path deleted and another one added in one commit, with contents of which git finds
// half to be the same. In a partial clone, which may not have the contents, only equal object ids
// count, which git's raw output shows. A file of which less stayed counts as renamed only if exactly
// one deleted and one added file in the commit share a name that is not a common one (README, index,
// main, …). A file that lived on in another line of the history is not renamed: a repository that was
// merged, and had moved its src/lib.rs into a folder, takes nothing from the src/lib.rs of this one.
//
// The renames of every branch are recorded, because they connect the names of a file. Package
// checkout decides by HEAD which commits count for a question, and under which names. When HEAD
// moves, rename events give the learned files the names that they have there.
package watcher
