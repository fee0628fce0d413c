// Package cold keeps the event log of a repository in one SQLite file (DB). It has one table of all
// events, commits included. A second file (Blobs) is the cache: what the parts of
// aOa keep to save time, each under its own Rule, sealed, swept and forgotten in one place. File is
// the layer below both: one connection that writes, a few that read, one schema, a mark that tells
// when the end of the file was lost (mark.go), and a fresh file in place of a damaged one.
//
// Batches of events go in. The events that were not known before come out, with the number of their
// batch. Later the same batches come out again, in the same order, for the consumers to fold. The
// package never ranks, never decides what matters and never reads the clock on its own. A reader
// never blocks the writer. A batch is one transaction: under half a millisecond for one event,
// under 70 µs for each of five hundred on two busy cores (BenchmarkAppend).
//
// A row that cannot be decoded is left out, with one warning per start (ErrRow). A file that SQLite
// cannot read, or that another version of aOa made, is moved aside with one warning. In place of a
// damaged log comes its daily copy (DB.Copy), with the rows behind it that can be read. Texts
// (prompts, commands) are sealed row by row, see Seal.
package cold
