// Package redis keeps the scores of one repository on a Redis or Valkey server that several daemons learn into.
//
// In come the same batches that package hot applies in memory, each under the writer's own sequence, and claims on
// what several logs have in common; out come the reads of views, and notices of other daemons' edits. Each step of a
// batch is one script: a retry counts once, and a server that was emptied or has lost batches refuses. The arithmetic
// of decay and the table of families are those of package hot. The package keeps no facts and takes no snapshots: those
// are the daemon's own. It never retries a write by itself.
package redis
