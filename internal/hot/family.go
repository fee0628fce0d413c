package hot

import (
	"fmt"
	"hash/crc32"
	"math"
	"time"
)

// Noun tells what a name is the name of. A tag may have the same name as a file, so each noun is
// renamed and forgotten separately. The numbers are part of the snapshot format.
type Noun uint8

// The kinds of things that sets of scores belong to or contain.
const (
	NounNone Noun = iota // global families have no owner
	NounFile
	NounTag
	NounTerm
)

// Family is a group of sets with one half-life. A global family is one set of members, which is
// read by member only. An owned family has one bounded set per owner (a file, a tag, a term), which
// may also be read by rank.
type Family struct {
	Name string        // the first part of its keys on a Redis server
	Half time.Duration // after this time an increment is worth half; 0: a time stamp, which does not decay
	// Owned: members kept per set. A set is trimmed to this size when it has doubled, and in a sweep.
	// 0: global.
	Keep int
	// Read is, for an owned family, how many of the highest members stay whatever their value,
	// because questions read that many.
	Read     int
	ByChange bool // scores of a file decay until its last change (Changed), not until now
	Owner    Noun // NounNone for a global family
	Member   Noun

	index uint8 // index in Families; part of the snapshot format
}

const day = 24 * time.Hour

// The families. Their names follow the specification. Changes have a half-life of 365 days: of
// half-lives from 7 to 1000 days it ranks the files of the next commits best in public histories,
// and from 180 days on there is little difference (mean reciprocal rank 0.50; with the
// specification's 13.5 hours 0.36). Accesses have 7 days, because editors that rank files by their
// use take 3 to 10. The 30 and 90 days of the others were chosen without separate measurements. The
// weights of package rank are fitted to all of them, so run make train after changing one.
var (
	Recency   = global("scores:recency", 0, NounFile)       // last access, Unix seconds
	Committed = global("scores:committed", 0, NounFile)     // last commit, Unix seconds
	Frequency = global("scores:frequency", 7*day, NounFile) // accesses
	Churn     = global("scores:churn", 30*day, NounFile)    // commits
	// weight of changes: N in the ratio of common changes
	Changes = byChange(global("scores:changes", 365*day, NounFile))
	// sessions that opened it: n in the ratio of common sessions
	Sessions = global("scores:sessions", 90*day, NounFile)
	TagFreq  = global("tag_freq", 30*day, NounTag)   // uses
	TermFreq = global("term_freq", 90*day, NounTerm) // uses, for the inverse document frequency
	// Comod maps a partner to the weight of changing together.
	Comod = byChange(owned("comod", 365*day, 32, 32, NounFile, NounFile))
	// Coaccess maps a partner to the weight of sessions that opened both.
	Coaccess = owned("coacc", 90*day, 64, 32, NounFile, NounFile)
	TagFiles = owned("tag", 30*day, 256, 16, NounTag, NounFile) // maps a file to its accesses under the tag
	// maps a tag to the accesses of the file under it
	FileTags = owned("file", 30*day, 16, 16, NounFile, NounTag)
	// TermFiles maps a file to the weight of opens and commits under the term.
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

// Families has all families. Their order is part of the snapshot format.
var Families = numbered(Recency, Committed, Frequency, Churn, Changes, Sessions, TagFreq, TermFreq,
	Comod, Coaccess, TagFiles, FileTags, TermFiles, Changed)

func numbered(fs ...*Family) []*Family {
	for i, f := range fs {
		f.index = uint8(i)
	}
	return fs
}

// fingerprint returns a hash of names and half-lives, because scores stored under other half-lives
// cannot be read.
func fingerprint() uint32 {
	h := crc32.NewIEEE()
	for _, f := range Families {
		fmt.Fprintf(h, "%s %dd %d\n", f.Name, f.Half/day, f.Owner)
	}
	return h.Sum32()
}

const (
	epochHalves = 32 // half-lives per epoch; keeps the factor of an increment below 2^33
	// If this many half-lives have passed since the landmark of the present epoch, the epoch before it
	// adds less than 2^-20 to a score, and is not read.
	staleHalves = 20
)

// Global reports whether the family is one set.
func (f *Family) Global() bool { return f.Owner == NounNone }

// Epoch returns k = ⌊t/32h⌋ for a time in Unix seconds; 0 for stamps.
func (f *Family) Epoch(t float64) int64 {
	if f.Half == 0 {
		return 0
	}
	return int64(math.Floor(t / (epochHalves * f.Half.Seconds())))
}

// Past reports whether an epoch is so old that a reader at t or later no longer adds its scores.
// For stamps it is always false.
func (f *Family) Past(epoch int64, t float64) bool { return f.Half > 0 && epoch < f.Epoch(t)-1 }

func (f *Family) landmark(k int64) float64 { return epochHalves * f.Half.Seconds() * float64(k) }

// growth returns how much an increment of 1 at t adds to epoch k.
func (f *Family) growth(t float64, k int64) float64 {
	return math.Exp2((t - f.landmark(k)) / f.Half.Seconds())
}

// Worth returns the value at t, in Unix seconds, of a stored 1 in epoch k; for time stamps it is 1.
func (f *Family) Worth(t float64, k int64) float64 {
	if f.Half == 0 {
		return 1
	}
	return math.Exp2(-(t - f.landmark(k)) / f.Half.Seconds())
}

// fade returns the value at a later time of a 1 at an earlier time.
func (f *Family) fade(from, to float64) float64 { return math.Exp2((from - to) / f.Half.Seconds()) }

// Live returns the epochs whose scores a reader at t adds up, newest first; for stamps it is epoch
// 0.
func (f *Family) Live(t float64) []int64 {
	k := f.Epoch(t)
	if f.Half == 0 || t-f.landmark(k) > staleHalves*f.Half.Seconds() {
		return []int64{k}
	}
	return []int64{k, k - 1}
}
