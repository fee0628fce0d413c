// Package resume lets a session come back at once.
//
// In come the events of sessions as they are learned; out goes a snapshot per session: its state, its last three
// commands, the files it was at, how many commands it had and the tokens it cost. A snapshot holds no text of anybody,
// so it lies open and is enough to go on without opening anything; the full record is the event log (internal/cold),
// whose texts lie sealed row by row. It never ranks, never tells an agent anything by itself, and never starts
// anything: Run keeps snapshots until its context ends.
//
// Snapshots are written a second after the last change, five where the session was written within the last ten, no
// change later than ten, and at once when it pauses, completes or fails: a burst of commands costs a write every ten
// seconds. What a kill loses of that is read again from the log. Reading one costs under half a millisecond, however long the record is
// (BenchmarkContext).
package resume
