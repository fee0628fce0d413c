// Package event defines the values that every other package speaks in: Event, Path, Query, Answer, Step.
//
// It takes nothing in and gives types out. It never opens a file, a socket or a clock, and imports only the
// standard library.
package event
