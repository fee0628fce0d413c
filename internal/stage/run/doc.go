// Package run runs a stage: a Step asks the daemon whether its inputs changed, replays the kept result or runs the command, and stores
// what it did. What goes in is a request and the streams of the caller; what comes out is the exit code, the record and what became of
// it. The package prints nothing of its own: it tells a Listener.
package run
