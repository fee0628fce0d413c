// Package learn folds events into the weights of the hot store.
//
// Batches of events that are logged and deduplicated go in. One hot.Batch per call comes out, applied under the sequence of the
// batch. The package never reads a clock, a ranking or a repository: an event carries its time and its paths. So what is learned
// live is what is learned from the log, however the events are divided into batches. An event takes some 20 to 100 µs. The state of
// the 256 sessions used last is kept in memory; that of others is read back from hot.
//
// # Opens: read, edit, write, and saves outside any tool
//
// With c = 1, or 1/4 when a shown suggestion caused the access (Event.Cause), for each file f at the event's time:
//
//	Recency[f]       = the time
//	Frequency[f]    += c
//	Next[p][f]      += c, Moves[p] += c     p = the file opened before, when it is another (subagents apart)
//	TagFiles[t][f]  += c, FileTags[f][t] += c, TagFreq[t] += c once per event     the event's first 5 tags
//
// on the session's first open of f, with the up to 20 files first opened before it, the d-th before at distance d:
//
//	Sessions[f]     += c
//	Coaccess[f][g]  += c/(1+0.15·(d-1)), and Coaccess[g][f] the same
//
// and on the first open of f under the current prompt, with the n ≤ 32 newest terms of that prompt and of the
// patterns and commands since:
//
//	TermFiles[w][f] += 1/√n
//
// whether a suggestion caused the open or not. Hints at a prompt depend on the share TermFiles/TermFreq, whose denominator counts
// every prompt as 1; the suggestions that are withheld keep the share from confirming itself.
//
// # Edits: edit, write, save
//
// Files first edited under one prompt, with no pause of more than 5 minutes between edits, form a change. A change
// of n files counts half of what a commit of n files counts, because most changes are committed later:
//
//	Comod[f][g] = ½/(n-1), Changes[f] = ½/(n-1)     ½ and no pair for n = 1
//
// Each edit that makes n-1 files n corrects what the smaller change had counted. From the 21st file on there are no
// new pairs.
//
// A save of a file that a tool edited from 10 s before to 2 s after is that edit, and counts nothing. Other saves
// belong to the session "watch", which begins again after 30 idle minutes.
//
// # Commits
//
// A commit of n files (deleted ones included in n), w = 1/(n-1), or 1 for n = 1, at committer time:
//
//	Churn[f]        += 1
//	Committed[f]     = the time
//	Changes[f]      += w                    n ≤ 100
//	Comod[f][g]     += w                    n ≤ 100
//	TermFiles[t][f] += 1/n                  t in the subject's terms, n ≤ 100
//
// Deleted files get no scores. An uncommit subtracts the same at the same time, but does not change Committed.
//
// # Texts
//
// The event clock of a session counts its prompts and tool calls. A text that names m files mentions each of them
// with 1/√m; mentions halve every 8 events. What a prompt names is kept under the prompt's ordinal, what a command
// or pattern names under the clock. A prompt's words count TermFreq[w] += 1 and replace the words of the prompt
// before. Words of patterns and commands are added to them. A prompt begins a new change and resets the limit on hints.
//
// # The rest
//
// rename moves the weights of a file to its new name. branch forgets the current file of the session "watch". start after a
// compaction or a clear empties the mentions and the shown suggestions of the session. tick trims. Options.Fold folds suggest,
// outcome and feedback.
package learn
