// Package daemon connects the other packages to one process per repository.
//
// It takes requests from the socket, batches of events from the watchers, and ticks from the
// schedule. Every event goes through package log: it becomes durable, and is applied to the states
// in the same order as after a restart. A handler decodes a request, calls one package, and encodes
// the answer. The package has no rules about scores, hints or sessions, and logs only ids, counts,
// paths and durations. An idle daemon wakes up about once per second.
package daemon
