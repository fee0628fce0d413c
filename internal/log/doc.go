// Package log is the one way of events through the daemon: it makes them durable and folds them into what the daemon
// knows.
//
// Events go in, from hooks, watchers, git and peers. A batch becomes durable in package cold within 100 ms. Then each
// event is applied to its session, and what it changed there goes to package learn and to every Consumer, in one order,
// live and after a restart alike. All states are saved as one snapshot at one position of the log. A snapshot that cannot
// be read costs a replay. The package has no rule about events.
package log
