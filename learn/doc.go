// Package learn folds events into the weights of the hot store.
//
// Events go in, each with its session and with what it changed there, which package session says.
// Increments of scores come out. The package never reads a clock, a ranking or a repository: an
// event carries its time and its paths. So what is learned live is what is learned from the log,
// however the events are divided into batches. An event takes some 15 to 100 µs.
//
// # Opens: read, edit, write, and saves outside any tool
//
// With c = 1, or 1/4 when a shown suggestion led to the access (session.Delta), for each file f at
// the event's time:
//
//	Recency[f]       = the time, two days earlier when c is 1/4: a quarter of a recency with a half-life of a day
//	Frequency[f]    += c
//	TagFiles[t][f]  += c, FileTags[f][t] += c, TagFreq[t] += c once per event     the event's first 5 tags
//
// on the session's first open of f, with the up to 20 files first opened before it, the d-th before
// at distance d:
//
//	Sessions[f]     += c
//	Coaccess[f][g]  += c/(1+0.15·(d-1)), and Coaccess[g][f] the same
//
// and on the first open of f under the current prompt, whose n words (at least 1) count u = 1/√n
// each, with the 32 newest terms of that prompt and of the patterns and commands since:
//
//	TermFiles[w][f] += c·u
//
// Each term counts TermFreq[w] += u once under a prompt, so TermFiles/TermFreq is a share of turns
// and commits.
//
// # Edits: edit, write, save
//
// A change of a session counts when it is over: an unfinished change says nothing about the files
// that it lacks. A change of n files counts half as much as a commit of n files, because most
// changes are committed later; c as above, for a pair the smaller:
//
//	Comod[f][g] += c·½/(n-1), Changes[f] += c·½/(n-1), Changed[f] = the time     c·½ and no pair for n = 1, no pair for n > 20
//
// # Commits
//
// A commit of n files (deleted ones included in n), w = 1/(n-1), or 1 for n = 1, at committer time:
//
//	Churn[f]        += 1
//	Committed[f]     = the time
//
// and if n ≤ 100 and the commit is no sweep (event.Commit.Sweep: it goes through the repository for
// a tool):
//
//	Changes[f]      += w, Changed[f] = the time
//	Comod[f][g]     += w
//	TermFiles[t][f] += 1/n, TermFreq[t] += 1      t in event.Commit.Topics: the subject's terms
//
// Deleted files get no scores. An uncommit subtracts the same at the same time, but does not change
// Committed and Changed.
//
// # The rest
//
// A rename moves the weights of a file to its new name, unless it is one of before the log began
// (event.Rename.Past): the commits of that time are learned under the new name. A tick trims the
// sets, once a day one sweeps.
package learn
