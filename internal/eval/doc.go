// Package eval replays the commits of a repository in time order: before each it asks what the
// change lacks, then it learns it.
//
// A Source has the history, read by git or taken from the daemon's log. EachCommit asks with a
// Past, which knows what the commits before said, and answers as the daemon does: by package
// prefetch, judged by package change. Changes are the answers for the report, and a Backtest counts
// them for aoa check --backtest. Nothing is known before its time. The package writes nothing,
// starts no daemon and reads no clock. docs/dev/evaluation.md defines the numbers. Recorded
// sessions are replayed by scripts/dev/recorded.
package eval
