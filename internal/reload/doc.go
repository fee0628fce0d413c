// Package reload remembers what a prompt led an agent to do, finds it again when the same is asked, and does it again.
//
// In come what sessions are asked and the calls that follow (event.Asked, event.Step), in the order in which hooks tell
// them; out go the sequences that fit a prompt, what replaying one finds now, and an undo record for what it changed.
// A sequence is recorded when its turn ended well. It is found by its trigger and by the words of its prompt (index.Requests;
// similarity.go has the formula), through an inverted index, never by a scan; and it goes
// when it was not used for a day, failed more often than not, or speaks of files that are no more (evict.go).
//
// Replaying looks first and touches last: what only reads is done by this package itself, now, within the worktree
// (look.go); a command is run only if the settings name it, without a shell (command.go); edits are worked out in memory,
// shown, and made only when the very plan that was shown is named: all of them or none, with an undo record before the
// first (plan.go, undo.go). It stops at the first action that does not do what it did. An input that had a secret in it
// is never replayed.
//
// It never asks a model, never replays a change by itself, and never leaves the worktree, through a link neither. What
// is stored is sealed by whoever hands it the seal. Finding one of a hundred sequences costs about 50 µs without the
// files, one of ten thousand less than a millisecond; a hundred of them take less than a megabyte.
package reload
