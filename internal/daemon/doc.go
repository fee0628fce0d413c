// Package daemon connects the other packages to one process per repository.
//
// Requests from the socket, batches of events from the watchers and ticks from the cron go in. Every event goes through
// the event log (log.go): it becomes durable in package cold and then reaches every consumer (consumer.go), in the same
// order live and after a restart. Answers and snapshots come out. The package has no rule about scores, and logs only
// ids, counts, paths and durations. An idle daemon takes about 20 MB and wakes up once per second.
package daemon
