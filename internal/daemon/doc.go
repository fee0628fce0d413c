// Package daemon joins the other packages into one process per repository.
//
// Requests from the socket, batches of events from the watchers and ticks from the cron come in. Every event goes through
// one door, the event log (log.go): it becomes durable in package cold and then reaches every consumer (consumer.go), in
// the same order live and after a restart. Answers and snapshots go out. The package holds no rule about scores, and logs
// only ids, counts, paths and durations. Idle it costs about 20 MB and a wake-up per second.
package daemon
