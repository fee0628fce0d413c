// Package learn adds events to the weights of the hot store.
//
// It takes events, each with its session and with what the event changed there (package session
// says that), and increments scores. It never reads a clock, a ranking or a repository: an event
// carries its time and its paths. So the same events give the same scores, live or read from the
// log, however they are divided into batches. An event takes about 15 to 100 µs.
//
// # Opens: read, edit, write, and saves outside any tool
//
// c is the weight of an access: 1, or 1/4 when a shown suggestion led to it (session.Delta). Each
// file f that an event accesses gets, at the event's time:
//
//	Recency[f]       = the time, two days earlier if c is 1/4: with a half-life of a day this makes
//	                   the recency a quarter
//	Frequency[f]    += c
//	TagFiles[t][f]  += c and FileTags[f][t] += c for the event's first 5 tags t
//	TagFreq[t]      += c, once per event
//
// On the session's first open of f, the files g are the up to 20 files first opened before it; the
// d-th before it has the distance d:
//
//	Sessions[f]     += c
//	Coaccess[f][g]  += c/(1+0.15·(d-1)), and Coaccess[g][f] the same
//
// On the first open of f under the current prompt, the words w are the 32 newest ones of that
// prompt and of the patterns and commands since. Each has the weight u = 1/√n, where n is the
// number of words of the prompt, at least 1:
//
//	TermFiles[w][f] += c·u
//
// Each word adds TermFreq[w] += u once under a prompt, so TermFiles/TermFreq is a share of turns
// and commits.
//
// # Edits: edit, write, save
//
// A session's change is counted when it is finished, because an unfinished change says nothing
// about the files that it lacks. A change of n files counts half as much as a commit of n files,
// because most changes are committed later. c is as above, for a pair the smaller of both:
//
//	Comod[f][g]     += c·½/(n-1), no pairs for n = 1 and for n > 20
//	Changes[f]      += c·½/(n-1), or c·½ for n = 1
//	Changed[f]       = the time
//
// # Commits
//
// A commit of n files (deleted ones included in n), w = 1/(n-1), or 1 for n = 1, at committer time:
//
//	Churn[f]        += 1
//	Committed[f]     = the time
//
// and if n ≤ 100 and the commit is no sweep (event.Commit.Sweep), which changes files all over the
// repository for a tool:
//
//	Changes[f]      += w, Changed[f] = the time
//	Comod[f][g]     += w
//	TermFiles[t][f] += 1/n, TermFreq[t] += 1      t in event.Commit.Topics: the subject's terms
//
// Deleted files get no scores. An uncommit event subtracts the same amounts at the same time, but
// does not change Committed and Changed.
//
// # The rest
//
// A rename moves the weights of a file to its new name. It does nothing if it happened before the
// log began (event.Rename.Past), because the commits of that time are learned under the new name. Once
// a day a tick removes old entries from all sets.
package learn
