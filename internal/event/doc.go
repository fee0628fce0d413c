// Package event defines the values that all other packages exchange: Event, Path, Query and Answer.
//
// It only defines types. It never opens a file or a socket, never reads a clock, and imports only
// the standard library.
package event
