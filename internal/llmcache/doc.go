// Package llmcache is where an agent sets results aside and keeps only the label.
//
// In come items of a session: up to 5 MB of any bytes with a description; out go labels of at most 500 bytes, and
// later an item, whole or the part that is asked for. Nothing is thrown out to make room: a write that would pass the
// session's quota of 50 MB is refused with what to delete. Items live until 24 hours after their session was last
// heard of; a session that logs out or exits takes them along at once.
//
// Items lie compressed (zstd) and sealed in a SQLite file of their own, which is opened when it is first asked. It
// never loads an item to list it, never reads the clock on its own, and never looks into an item but to cut out what
// was asked for. On two cores that others keep busy an item of 1 KB is written or read in 0.15 ms, one of 100 KB in 1,
// one of 5 MB written in 150 and read in 15 (BenchmarkCache).
package llmcache
