// Package monitor is what people see of a running daemon: counters as Prometheus text, memory, and
// the warnings of its log.
//
// What happened goes in, numbers and words come out. Labels are fixed words, never paths, sessions
// or texts.
package monitor
