// Package run runs stages and pipelines. A Step asks the daemon whether the inputs of a stage
// changed, replays the kept result or runs the command, and stores what it did. A Pipeline runs
// stages in the order in which they need each other, and gives each the values that it names. What
// goes in is a request, or a parsed pipeline with its session; what comes out is the exit code and
// record of a stage, or a report. The package prints nothing of its own: it tells a Listener.
package run
