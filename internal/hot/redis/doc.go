// Package redis shares the scores of one repository over a Redis or Valkey server.
//
// The batches that package hot applies in memory go in, each with the sequence number of its writer, and claims of commits that
// several logs have in common. A mirror comes out: a second store in memory that has what all writers have learned, and the edits
// of other daemons.
//
// A batch becomes steps. One script applies a step to the server's sorted sets, once, and appends the same step to a stream. Every
// daemon loads the sets into its mirror, set by set together with the stream's position, and from there on carries out the
// stream's steps. Servers and mirrors only add, move stamps and remove, as hot.Change says, in the order of the stream. So they
// hold the same numbers, and what a rename or a trim changes is found in the mirror. When the stream was cut, or is
// another one, the sets are loaded again.
//
// The arithmetic of decay and the table of families are those of package hot. The server has no sessions and no facts; each
// daemon has its own. The package never retries a write by itself, and no question waits for it.
package redis
