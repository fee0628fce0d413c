// Package reload records what agents did after a prompt, finds it when a similar prompt comes, and
// repeats it.
//
// It takes the events of sessions. It returns the sequences of calls that fit a prompt, the results
// of a replay, and an undo record for what a replay changed. A sequence is recorded when its turn
// ended well. It is found by its trigger and by the words of its prompt (index.Requests; find.go
// has the formulas). It is offered only if it edits a file or has at least three calls. It is
// deleted if it was not used for a day, if it fails more often than it succeeds, if one of its files
// is gone, or if others have edited all files that it edits (Cache.Evict).
//
// # Recording
//
// While a turn is going on, the package keeps nothing of it; the event log has everything. Turns, a
// consumer of the log, records that an event ended a turn (turn.go). A quarter of a second later the
// session's events are read from the log, and an entry is made from the turn (record.go). An event
// tells what a call did, and the hashes of its file before and after. The texts that an edit
// replaced, and a command line that is too long for its event, are stored as sealed blobs under the
// ID of the event (inputs.go). The entry has a patch for each file that the turn changed (patch.go).
// A lost cache is made again from the log, but without patches and counts. Calls without an event
// are not recorded, because they have nothing to do with the repository.
//
// # Replaying
//
// This package itself reads and searches, within the worktree (search.go). Commands are never run.
// Edits are shown as patches that git has checked. They are made, by git apply, only if the caller
// names the plan that was shown: all of them or none, after storing an undo record (plan.go). A
// replay stops at the first action that cannot be made again, such as a read of a file that is gone.
// That a file has changed, or that a search finds nothing now, is said and stops nothing. An input
// that contained a secret is never replayed.
//
// The package never asks a model, never repeats a change by itself, and never leaves the worktree,
// not even through a link. A hundred sequences take less than a megabyte, the inputs of calls at
// most eight.
package reload
