// Package cold is everything that ever happened, in one SQLite file (DB): events, commits, the snapshot of the hot
// store, statistics and answers. The rooms under prefetch keep files of their own in the same manner (File): each
// brings its schema and its named statements, opened when first needed.
//
// In come batches of events; out go the ones not seen before with the batch's number, later the same batches
// again, in the same order, for the learner to fold. It never ranks, never decides what matters, never reads
// the clock on its own, and never keeps a caller waiting for a reader: one connection writes, others read.
// A batch costs one transaction: under half a millisecond for one event, under 70 µs for each of five hundred
// on two cores that others keep busy (BenchmarkAppend). A row that cannot be decoded is left out, with one
// warning per start (ErrRow). A file that SQLite cannot read is moved aside and begun anew, with one warning, and what
// can be read of the event log is copied into the fresh one; a file of a newer aoa is left alone. Texts (prompts,
// commands) lie sealed, row by row: see Seal.
package cold
