package hot

import "time"

// Family is a group of sorted sets that share a half-life. A global family is one set over all files, read
// by member only, never by range (a range sorts the whole set in the embedded server). An owned family is one
// bounded set per owner (a file, a tag, a term) and may be read by rank.
type Family struct {
	Name string        // the first part of its keys, see keys.go
	Half time.Duration // an increment is worth half after this long; 0: a time stamp, which needs no decay
	Keep int           // owned: members kept per set (trimmed at ticks only); 0: global
}

const day = 24 * time.Hour

// The families. Names follow the seed's keys; half-lives are defaults, overridden by Options.Half.
var (
	Recency   = Family{Name: "scores:recency"}                   // file → last access, unix seconds
	Committed = Family{Name: "scores:committed"}                 // file → last commit, unix seconds
	Frequency = Family{Name: "scores:frequency", Half: 7 * day}  // file → accesses
	Churn     = Family{Name: "scores:churn", Half: 30 * day}     // file → commits
	Changes   = Family{Name: "scores:changes", Half: 365 * day}  // file → weight of changes with partners: N of the co-change formula
	Sessions  = Family{Name: "scores:sessions", Half: 90 * day}  // file → sessions that opened it: n of the co-access formula
	Moves     = Family{Name: "scores:moves", Half: 90 * day}     // file → times another file was opened right after it
	TagFreq   = Family{Name: "tag_freq", Half: 30 * day}         // tag → uses
	TermFreq  = Family{Name: "term_freq", Half: 90 * day}        // term → uses, for idf
	Comod     = Family{Name: "comod", Half: 365 * day, Keep: 64} // file: partner → weight of changing together
	Coaccess  = Family{Name: "coacc", Half: 90 * day, Keep: 64}  // file: partner → weight of being opened in one session
	Next      = Family{Name: "next", Half: 90 * day, Keep: 64}   // file: successor → times opened right after
	TagFiles  = Family{Name: "tag", Half: 30 * day, Keep: 256}   // tag: file → accesses under that tag
	FileTags  = Family{Name: "file", Half: 30 * day, Keep: 16}   // file: tag → accesses under that tag
	TermFiles = Family{Name: "term", Half: 90 * day, Keep: 64}   // term: file → weight of being opened after, or committed under, that word
)

// Families lists all of them, for snapshots, sweeps and documentation.
var Families = []Family{Recency, Committed, Frequency, Churn, Changes, Sessions, Moves, TagFreq, TermFreq,
	Comod, Coaccess, Next, TagFiles, FileTags, TermFiles}
