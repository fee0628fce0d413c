// Package schedule does what is due: jobs go in, each with its period, and are done once in it.
//
// When a job was done is kept with the log, so one that was due while nothing ran, or while the machine slept, is done
// soon after. Idle stops a process that nothing calls. A job that fails or panics ends nothing and is tried again. A
// job that drops what the clock calls old waits while the Clock cannot be believed: neither a clock that jumped while
// the process ran, nor one that jumped since the last one, may drop anything. The package knows nothing of what the
// jobs do.
package schedule
