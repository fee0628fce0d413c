// Package eval measures predictions on recorded work: in time order, predict, then learn.
//
// In come recorded sessions and commits; out go decisions (what was asked, how the files were ranked, what the session
// did then) and the measures that docs/evaluation.md defines. What was learned goes through learn into a hot store of
// its own and is asked through rank, as in the daemon; nothing is known before its time. It writes nothing into the
// repository, starts no daemon, and never reads a clock but to measure how long a ranking took. A ranking costs what it costs
// the daemon, and each question is ranked once.
//
// It is part of cmd because learn and rank meet only in hot, in the daemon, and here.
package eval
