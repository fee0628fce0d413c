// Package eval measures predictions on recorded work: in time order it predicts, then it learns.
//
// Recorded sessions and commits go in. Decisions (the question, the ranking, what the session did then) and the
// measures of docs/evaluation.md come out. The package learns through learn into a hot store of its own and asks
// through rank, as the daemon does. Nothing is known before its time. It writes nothing into the repository, starts no
// daemon, and reads no clock. Each question is ranked once, at the cost of a
// ranking in the daemon.
package eval
