// Package redis keeps the scores of one repository on a Redis or Valkey server that several daemons share.
//
// The batches that package hot applies in memory go in, each with the sequence number of its writer, and claims of commits that
// several logs have in common. Answers to the reads of views and notices of other daemons' edits come out. Each step of a batch is one
// script: a retry counts once, and a server that was emptied or has lost batches refuses. The arithmetic of decay and the table of families
// are those of package hot. The package keeps no facts and takes no snapshots; each daemon has its own. It never retries a write by
// itself.
package redis
