// Package aoa is the vocabulary of the house: Event, Path, Tree, Query, Answer.
//
// In comes nothing, out go words: every other package speaks in these types, and a word defined here is
// defined nowhere else. It never opens a file, a socket or a clock, and imports the standard library only.
// Its dearest operation is building a Tree: linear in the number of tracked files, about 1 µs per file.
package aoa
