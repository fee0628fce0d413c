package hot

import (
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"time"
)

// Noun says what names are names of. A tag may be called like a file: each noun is renamed and
// forgotten by itself. The numbers are part of the snapshot format.
type Noun uint8

// The nouns of scores.
const (
	NounNone Noun = iota // the owner of a global family
	NounFile
	NounTag
	NounTerm
)

// Family is a group of sets that share a half-life. A global family is one set of members, asked by
// member only. An owned family is one bounded set per owner (a file, a tag, a term) and may be
// asked by rank.
type Family struct {
	Name string        // the first part of its keys on a server
	Half time.Duration // an increment is worth half after this long; 0: a time stamp, which needs no decay
	Keep int           // owned: members kept per set: it is trimmed to that when it has doubled, and at ticks; 0: global
	// owned: this many of the highest stay whatever their value, because questions read them
	Read     int
	ByChange bool // scores of a file decay until its last change (Changed), not until now
	Owner    Noun // NounNone: global
	Member   Noun

	index uint8 // in Families; part of the snapshot format
}

const day = 24 * time.Hour

// The families. Names follow the seed's keys. 365 days for changes: of half-lives from 7 to 1000
// days it ranks the files of the next commits best in public histories, and from 180 days on there
// is little difference (0.50 mean reciprocal rank; the seed's 13.5 hours: 0.36). 7 days for
// accesses: editors that rank files by their use take 3 to 10. 30 and 90 days for the others were
// chosen and not measured apart. The weights of package rank are fitted to all of them: after a
// change of one, run make train.
var (
	Recency   = global("scores:recency", 0, NounFile)                 // last access, Unix seconds
	Committed = global("scores:committed", 0, NounFile)               // last commit, Unix seconds
	Frequency = global("scores:frequency", 7*day, NounFile)           // accesses
	Churn     = global("scores:churn", 30*day, NounFile)              // commits
	Changes   = byChange(global("scores:changes", 365*day, NounFile)) // weight of changes: N of co-change
	Sessions  = global("scores:sessions", 90*day, NounFile)           // sessions that opened it: n of co-access
	TagFreq   = global("tag_freq", 30*day, NounTag)                   // uses
	TermFreq  = global("term_freq", 90*day, NounTerm)                 // uses, for idf
	// partner → weight of changing together
	Comod = byChange(owned("comod", 365*day, 32, 32, NounFile, NounFile))
	// partner → weight of sessions that open both
	Coaccess = owned("coacc", 90*day, 64, 32, NounFile, NounFile)
	TagFiles = owned("tag", 30*day, 256, 16, NounTag, NounFile) // file → accesses under that tag
	FileTags = owned("file", 30*day, 16, 16, NounFile, NounTag) // tag → accesses under that tag
	// file → weight of opens and commits under it
	TermFiles = owned("term", 90*day, 64, 64, NounTerm, NounFile)
	Changed   = global("scores:changed", 0, NounFile) // last change of Changes, Unix seconds
)

func global(name string, half time.Duration, member Noun) *Family {
	return &Family{Name: name, Half: half, Member: member}
}

func owned(name string, half time.Duration, keep, read int, owner, member Noun) *Family {
	return &Family{Name: name, Half: half, Keep: keep, Read: read, Owner: owner, Member: member}
}

func byChange(f *Family) *Family {
	f.ByChange = true
	return f
}

// Families lists all of them. The order is part of the snapshot format.
var Families = numbered(Recency, Committed, Frequency, Churn, Changes, Sessions, TagFreq, TermFreq,
	Comod, Coaccess, TagFiles, FileTags, TermFiles, Changed)

func numbered(fs ...*Family) []*Family {
	for i, f := range fs {
		f.index = uint8(i)
	}
	return fs
}

// fingerprint covers names and half-lives: scores that were stored under other half-lives cannot be
// read.
func fingerprint() uint32 {
	h := crc32.NewIEEE()
	for _, f := range Families {
		fmt.Fprintf(h, "%s %s %d\n", f.Name, f.Span(), f.Owner)
	}
	return h.Sum32()
}

// Span formats the half-life for keys: 7d, 36h, 90s.
func (f *Family) Span() string {
	switch {
	case f.Half%day == 0:
		return strconv.FormatInt(int64(f.Half/day), 10) + "d"
	case f.Half%time.Hour == 0:
		return strconv.FormatInt(int64(f.Half/time.Hour), 10) + "h"
	default:
		return strconv.FormatInt(int64(f.Half/time.Second), 10) + "s"
	}
}

const (
	epochHalves = 32 // half-lives per epoch: the factor of an increment stays below 2^33
	staleHalves = 20 // an epoch whose landmark is older adds less than 2^-20 for a reader that has the next one
)

// Global reports whether the family is one set.
func (f *Family) Global() bool { return f.Owner == NounNone }

// Epoch is k = ⌊t/32h⌋ of a time in Unix seconds; 0 for stamps.
func (f *Family) Epoch(t float64) int64 {
	if f.Half == 0 {
		return 0
	}
	return int64(math.Floor(t / (epochHalves * f.Half.Seconds())))
}

// Past reports whether no reader at t or later adds the scores of an epoch; of stamps never.
func (f *Family) Past(epoch int64, t float64) bool { return f.Half > 0 && epoch < f.Epoch(t)-1 }

func (f *Family) landmark(k int64) float64 { return epochHalves * f.Half.Seconds() * float64(k) }

// growth returns how much an increment of 1 at t adds to epoch k.
func (f *Family) growth(t float64, k int64) float64 {
	return math.Exp2((t - f.landmark(k)) / f.Half.Seconds())
}

// Worth returns the value at t, in Unix seconds, of a stored 1 of epoch k; for time stamps it is 1.
func (f *Family) Worth(t float64, k int64) float64 {
	if f.Half == 0 {
		return 1
	}
	return math.Exp2(-(t - f.landmark(k)) / f.Half.Seconds())
}

// fade returns the value at a later time of a 1 at an earlier one.
func (f *Family) fade(from, to float64) float64 { return math.Exp2((from - to) / f.Half.Seconds()) }

// Live lists the epochs that a reader at t adds, newest first; of stamps 0.
func (f *Family) Live(t float64) []int64 {
	k := f.Epoch(t)
	if f.Half == 0 || t-f.landmark(k) > staleHalves*f.Half.Seconds() {
		return []int64{k}
	}
	return []int64{k, k - 1}
}
