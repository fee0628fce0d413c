// Package eval replays the commits of a repository in time order. Before it learns a commit, it
// asks which files the commit lacks.
//
// A Source holds the history, read by git or taken from the daemon's log. EachCommit asks the
// questions with a Past, which knows only the earlier commits and answers as the daemon does, with
// packages prefetch and change. Changes returns the answers for the report; a Backtest counts them
// for aoa check --backtest. The package writes nothing, starts no daemon and reads no clock.
// docs/dev/evaluation.md defines the numbers. Recorded sessions are replayed by
// scripts/dev/recorded.
package eval
