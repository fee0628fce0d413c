// Package log takes every event of the daemon: it writes the event to the database and then updates
// the in-memory states.
//
// Hooks, watchers, git and other clones add events to a Log. One goroutine, Log.Run, writes them
// with package cold: a batch is durable within 100 ms. Then it applies each event to its session,
// and passes the event with what changed in the session to every Consumer. The order is always the
// same, live and after a restart. All States are saved together in one snapshot for one position of
// the log; if a snapshot cannot be read, the log is replayed. Saving, forgetting, pruning and
// replaying are requests to the same goroutine, so they never run at the same time. Questions read
// the States at any time.
//
// The package has no rules about particular events. It deletes only what it has written: package
// daemon does the rest of the work that the states ask for.
package log
