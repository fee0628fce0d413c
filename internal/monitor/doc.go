// Package monitor makes a running daemon observable: it has counters as Prometheus text, the memory
// in use, and the warnings of the log.
//
// Labels of counters are fixed words, never paths, sessions or texts.
package monitor
