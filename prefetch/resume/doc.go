// Package resume lets a session come back at once. Its Store is a consumer of the event log.
//
// Events of sessions come in. A snapshot per session goes out: its state, its last three commands, the files it worked
// on, how many commands it had and the tokens it cost. A snapshot holds no text of anybody, so it is not sealed and is
// enough to go on without anything else. The full record is the event log (internal/cold), whose texts are sealed row by
// row. The package never ranks and never addresses an agent.
//
// Snapshots are written a second after the last change, five seconds where the session was written within the last ten,
// no change later than ten, and at once when it pauses, completes or fails: a burst of commands costs a write every ten
// seconds. Each write says how much of the log the file contains, so the replay after a kill repeats the rest. To read a
// snapshot takes less than half a millisecond, however long the record is (BenchmarkContext).
package resume
