// Package prefetch decides what is worth saying. It takes scores and returns an answer, or silence.
//
// A Question has Candidates: the files of a ranking, or facts that were looked up. Ranked files get
// their probabilities in one place, for hints and for people alike (estimate). Prefetcher.Decide
// gives each candidate its Status: shown, withheld (a random 10 %, the control group) or shadow.
// The caller puts the Decision into words and calls Said with the files that the words name; only
// these count as shown. At a prompt a list of files is decided, withheld and counted as a whole
// (ListModel). A session has several conversations, that of the agent and one for each subagent.
// What was shown or withheld in a conversation keeps its status there, whatever the kind.
//
// The Label of a kind tells when its predictions count as right: the file is opened next, opened in
// this turn, or part of the same change; for facts, opened within Horizon file events. A prediction
// is resolved at the latest after two idle hours. The outcomes of all statuses move the Intercept
// of the kind. Those of shown files also move its threshold, so that in the long run three of four
// shown files are used. Record counts for each kind how many of the shown files were right, and how
// many of the withheld ones were used all the same.
//
// Package session keeps what concerns one session. Everything else changes only in State.Apply,
// which reads nothing but events, what they changed in their sessions, and its own earlier state.
// So replaying the log gives the same thresholds. The package never writes a score, never shows a
// file twice in a conversation, and never reads a clock: times come with queries and events. A
// decision takes microseconds. Finding candidates takes a ranking, or, for a change, counting its
// commits.
package prefetch
