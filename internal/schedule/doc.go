// Package schedule runs jobs periodically, and stops an idle process.
//
// Each job runs once in its period. The time of its last run is stored in the log, so a job that
// was due while the process did not run, or while the machine slept, runs soon afterwards. Idle
// stops a process that no one calls. A job that fails or panics does not stop the others, and is
// tried again. A Signal wakes a goroutine, a Gate keeps it waiting. The package knows nothing about
// what the jobs do.
package schedule
