// Package daemon joins the rooms into one process per repository.
//
// In come frames and requests from the socket, batches from the watchers and ticks from the cron; everything
// that happened goes through one door (journal.go): first to cold, then to learn, in the same order. Out go
// answers and snapshots. It holds no rule about scores and never speaks to a person: it writes a log of ids,
// counts, paths and durations. Idle it costs about 20 MB and a wake-up per second.
package daemon
