// Package cold keeps the event log of a repository in one SQLite file (DB): every event, commits included, in one table;
// the snapshot of the scores; totals and answers. File is what it is built on, and what other packages keep files of their own
// with: one writing connection, a few readers, migrations, and a way to go on after damage. Lazy is a File that is opened
// when it is used.
//
// In come batches of events; out go the ones not seen before with the batch's number, later the same batches
// again, in the same order, for the consumers to fold. It never ranks, never decides what matters, never reads
// the clock on its own, and never keeps a caller waiting for a reader: one connection writes, others read.
// A batch costs one transaction: under half a millisecond for one event, under 70 µs for each of five hundred
// on two cores that others keep busy (BenchmarkAppend). A row that cannot be decoded is left out, with one
// warning per start (ErrRow). A file that SQLite cannot read is moved aside and begun anew, with one warning, and what
// can be read of the event log is copied into the fresh one; a file of a newer aoa is refused. Texts (prompts,
// commands) are sealed, row by row: see Seal.
package cold
