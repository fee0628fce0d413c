// Package reload records what agents did after a prompt, finds it when the same is asked again, and repeats it.
//
// Prompts of sessions and the calls that follow come in (event.Event). The sequences that fit a prompt, the
// results of a replay, and an undo record for what it changed go out. A sequence is recorded when its turn ended well.
// It is found by its trigger and by the words of its prompt (index.Requests; fingerprint.go has the formulas), through
// an inverted index. It is dropped when it was not used for a day, fails more often than it succeeds, or its files have
// changed too much (evict.go).
//
// # What is no event
//
// The cache is a consumer of the event log only for what events contain: a compacted or cleared conversation
// (consumer.go). A recording is not a fold of the log. What a replay needs is not in events: ranges of reads, options
// of searches, the texts of edits, and the hashes of files before and after each call. The hashes are those of the
// disk at the moment of the call, and no replay of a log can compute them again. The texts would double the log, and
// are kept only for sequences that ended well. So the daemon passes the calls of a hook's payload to BeginTurn,
// NoteBefore, AddCalls and EndTurn, in the order in which hooks report them. A turn that is under way when the daemon
// stops is not recorded.
//
// # Replaying
//
// Reads and searches are done by this package itself, within the worktree (search.go). A command is run only if the
// settings name it, without a shell (command.go). Edits are computed in memory, shown, and made only when the plan
// that was shown is named: all of them or none, with an undo record before the first (plan.go, undo.go). A replay
// stops at the first action with another result. An input that contained a secret is never replayed.
//
// The package never asks a model, never replays a change by itself, and never leaves the worktree, also not through a
// link. Finding one of a hundred sequences costs about 50 µs without the files, one of ten thousand less than a
// millisecond. A hundred sequences take less than a megabyte.
package reload
