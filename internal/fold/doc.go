// Package fold folds the log into what the daemon knows: the scores, the running sessions, the predictions, and
// whatever consumer is added.
//
// A batch of events goes in. Each event is applied to its session; what it changed there goes to package learn and to
// every Consumer, in one order, live and replayed. All states are saved as one snapshot at one position of the log. A
// snapshot that cannot be read costs a replay. The package has no rule about events.
package fold
