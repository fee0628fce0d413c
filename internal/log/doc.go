// Package log is the one way of events through the daemon: it makes them durable and folds them
// into what the daemon knows.
//
// Events go in through a Log, from hooks, watchers, git and other clones. One goroutine, Log.Run,
// writes them: within 100 ms a batch is durable in package cold. Then each event is applied to its
// session, and what it changed there goes to every Consumer, in one order, live and after a restart
// alike. All States are saved as one snapshot, at one position of the log; a snapshot that cannot
// be read costs a replay. To save, to forget, to prune and to replay are requests to the same
// goroutine, so that no two of them meet. Whoever asks a question reads States at any time.
//
// The package has no rule about any event, and what it does not write it does not delete: what a
// state says is to be done afterwards, package daemon does.
package log
