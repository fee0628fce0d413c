// Package run runs stages and pipelines. A Step asks the daemon whether the inputs of a stage have
// changed, then replays the stored result, or runs the command and stores what it did. A Pipeline
// runs stages in the order in which they need each other, and gives each of them the values that it
// names. It takes a request, or a parsed pipeline with its session, and returns the exit code and
// record of a stage, or a report. The package prints nothing itself; it calls functions of its
// caller (Note, Done).
package run
