// Package prefetch decides what is worth saying: scores go in, an answer or silence comes out.
//
// A Question has Candidates: the files of a ranking, which get their probabilities in one place,
// for hints and for people alike (estimate), or facts that were found by looking. Prefetcher.Decide
// gives each its Status: shown, withheld (a seeded 10 %, the control group) or shadow. The caller
// puts the Decision into words, and tells by Said what they name: only that was shown. At a prompt
// a list of files is decided on, withheld and counted as a whole (ListModel). A session has several
// conversations, that of the agent and one of each subagent: what was shown to a conversation or
// withheld from it keeps its status there, whatever the kind. A prediction is resolved by its
// Label, the question of its kind: opened next, opened in this turn, part of the same change, or
// for facts opened within Horizon file events; at the latest by two idle hours. Outcomes of all
// statuses move the Intercept of the kind; those of shown files move its threshold so that in the
// long run three of four are used. Record counts, for each kind, how many of the shown were right,
// and how many of the withheld all the same.
//
// What concerns one session is kept by package session; the rest changes only in State.Apply, which
// reads nothing but events, what they changed in their sessions, and its own earlier state, so
// replaying the log gives the same thresholds. The package never writes a score, never shows a file
// twice to a conversation, and never reads a clock: time rides on queries and events. A decision
// takes microseconds; to look for candidates costs a ranking, and for a change the counts of its
// commits.
package prefetch
