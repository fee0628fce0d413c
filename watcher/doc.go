// Package watcher turns changes on disk and in git into batches of events.
//
// In: a worktree's files, its ignore rules, its history, reports of the system about changed files.
// Out: [event.Event] values of the kinds commit, uncommit, rename, save, delete and branch, with
// the paths that git prints. The package does not decide what matters. It never writes to the
// repository, takes its locks, uses the network, or runs programs that a repository's settings name
// (filters, file monitors, text converters, pagers, promisor fetches): package git prevents that.
//
// Costs: a git process for a listing or an import (10,000 commits per second and more), 20 to 100
// µs to read HEAD, about 1 µs for whether a path is ignored, and one inotify watch per folder that
// holds files.
//
// # Two parts
//
// [OpenRepo], [Repo.Files], [Repo.Ignored], [Repo.Head], [Repo.Branch] and [Repo.History] answer
// questions about a repository. [NewWatcher] reports saves. [ReadLog] is the one parser of `git
// log`, used by the evaluation, too.
//
// # Which commits count
//
// A commit counts once, at its committer time, while it is reachable from the HEAD of a worktree or
// from origin/HEAD. Merge commits do not count: the commits that they merged do. Commits at the
// border of a shallow clone do not count, because git cannot see what they changed. An uncommit
// event takes back what a branch lost (amend, rebase, reset, a force-push of origin/HEAD). Checking
// out another branch takes nothing back, nor does a detached HEAD, which looks the same. A worktree
// in the middle of a rebase is left out.
//
// # Renames
//
// A rename is a path that is deleted and another that is added with the same content in one commit.
// The object ids in git's raw output show that, without reading a blob, which a partial clone may
// not have. A rename with changes counts only if in that commit exactly one deleted and one added
// file share a name that is not a common one (README, index, main, …).
//
// The renames of every branch are recorded: they link the names of a file. Which commits count for
// a question, and under which names, package checkout reads from HEAD. When HEAD moves, rename
// events give what was learned the names that its files have there.
package watcher
