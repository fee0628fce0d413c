// Package cold keeps the event log of a repository in one SQLite file (DB). The log is one table of
// all events, including commits. A second file (Blobs) is the cache. The parts of aOa keep data
// there that saves time, each under its own Rule; all of it is sealed, swept and forgotten in one
// place. File is the layer below both: one connection that writes, a few that read, one schema, a
// mark that shows if the end of the file was lost (mark.go), and a new file if the old one is
// damaged.
//
// Append takes batches of events and returns those that were not known, with the number of their
// batch. Replay later returns the same batches in the same order, so that consumers can compute
// their state again. The package never ranks, never decides what matters, and never reads the clock
// by itself. A reader never blocks the writer. A batch is one transaction. It takes less than half
// a millisecond for one event, and less than 70 µs for each of five hundred, on two busy cores
// (BenchmarkAppend).
//
// A row that cannot be decoded is left out, with one warning per start (ErrRow). A file that SQLite
// cannot read, or that another version of aOa made, is moved aside with one warning. A damaged log
// is replaced by its daily copy (DB.Copy). Texts (prompts, commands) are sealed row by row; see Seal.
package cold
