// Package daemon connects the other packages to one process per repository.
//
// Requests from the socket, batches of events from the watchers and ticks from the schedule go in.
// Every event goes through package log: it becomes durable, and is folded into the states in the
// same order live and after a restart. Answers and snapshots come out. A handler decodes, calls one
// package and encodes. The package has no rule about scores, hints or sessions, and logs only ids,
// counts, paths and durations. An idle daemon wakes up twice per second; once
// it looks whether clients still find its socket.
package daemon
