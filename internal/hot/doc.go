// Package hot is the store of *now*: decayed scores, partner sets and live sessions, in Redis through go-redis, on
// an embedded miniredis or on a server.
//
// In come batches of increments that carry their own times, and views that collect reads; out go scores decayed to
// the time asked for, and packed records for the snapshot. It never reads a clock for learning, never ranges over
// a global set on the query path, never retries a write, and knows nothing of events or rankings. A view costs one
// round trip, an event's batch some 30 µs, and a file with eight partners about 2 KB.
//
// # Decay
//
// A family with half-life h cuts time into epochs of 32 half-lives: k = ⌊t/32h⌋, landmark L_k = 32h·k. An increment
// w at time t adds w·2^((t-L_k)/h) to the member's score in the set of epoch k. At time now a score s of epoch k is
// worth s·2^(-(now-L_k)/h). A reader adds the epochs k(now) and k(now)-1; the older one is left out when
// now-L_k exceeds 20 half-lives, for then it is worth less than 1e-6 of what it was. Nothing is ever rewritten to
// decay; late, concurrent and repeated writers agree; the factor never exceeds 2^33. Epochs older than the newest
// two are dropped by the tick.
//
// # Two ways to the same maps
//
// The embedded server's only client is this Store, so it is not talked to: reads and writes take the sorted sets' own
// maps under the Store's lock. Nothing is printed and parsed, and no set is sorted. On a server the same reads are one
// pipeline through go-redis and the same writes one script. One suite runs over both.
package hot
