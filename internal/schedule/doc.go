// Package schedule does what is due: jobs go in, each with its period, and are done once in it.
//
// When a job was done is kept with the log, so one that was due while nothing ran, or while the
// machine slept, is done soon after. Idle stops a process that nothing calls. A job that fails or
// panics ends nothing and is tried again. The package knows nothing of what the jobs do.
package schedule
