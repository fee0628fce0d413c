// Package reload records what agents did after a prompt, finds it when the same is asked again, and
// repeats it.
//
// Events of sessions come in. The sequences that fit a prompt, the results of a replay, and an undo
// record for what it changed go out. A sequence is recorded when its turn ended well. It is found
// by its trigger and by the words of its prompt (index.Requests; find.go has the formulas). Only
// one that edits a file or has at least three calls is offered. It is dropped when it was not used
// for a day, when it fails more often than it succeeds, when one of its files is gone, and when
// others have edited all files that it edits (evict.go).
//
// # Recording
//
// The package keeps nothing of a turn that is under way: the event log has it. That an event ended
// a turn notes Turns, a consumer of the log (turns.go). A quarter of a second later the session's
// events are read back, and an entry is made of the turn (turn.go, record.go). An event has what a
// call did, and the hashes of its file before and after. What an edit replaced and a command line
// that is longer than its event's text are sealed blobs under the ID of the event (inputs.go). Of
// what the turn did to its files the entry keeps a patch for each (patch.go). A cache that is lost
// is made again from the log, but for the patches and the counts. Calls that gave no event (they
// have nothing to do with the repository) are not recorded.
//
// # Replaying
//
// Reads and searches are done by this package itself, within the worktree (search.go). Commands are
// never run. Edits are shown as the patches that git says apply, and made by git apply only when
// the plan that was shown is named: all of them or none, with an undo record before (plan.go,
// undo.go). A replay stops at the first action with another result. An input that contained a
// secret is never replayed.
//
// The package never asks a model, never replays a change by itself, and never leaves the worktree,
// also not through a link. A hundred sequences take less than a megabyte, the inputs of calls at
// most eight.
package reload
