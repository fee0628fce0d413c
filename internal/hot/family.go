package hot

import (
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
	"time"
)

// Noun says what names are names of. A tag may be called like a file: each noun is renamed and forgotten by itself.
// The numbers are part of the snapshot format.
type Noun uint8

// The nouns of scores.
const (
	NounNone Noun = iota // the owner of a global family
	NounFile
	NounTag
	NounTerm
)

// Family is a group of sets that share a half-life. A global family is one set of members, asked by member only. An
// owned family is one bounded set per owner (a file, a tag, a term) and may be asked by rank.
type Family struct {
	Name   string        // the first part of its keys on a server
	Half   time.Duration // an increment is worth half after this long; 0: a time stamp, which needs no decay
	Keep   int           // owned: members kept per set (trimmed at ticks only); 0: global
	Read   int           // owned: of these the highest, which stay whatever they are worth; nobody asks for more
	Rests  bool          // a file's scores age by its own changes (Changed): those of a file that rests do not fade
	Owner  Noun          // NounNone: global
	Member Noun

	index uint8 // in its Table; part of the snapshot format
}

const day = 24 * time.Hour

// The families. Names follow the seed's keys; half-lives are defaults, overridden by Options.Half.
var (
	Recency   = Family{Name: "scores:recency", Member: NounFile}                               // last access, Unix seconds
	Committed = Family{Name: "scores:committed", Member: NounFile}                             // last commit, Unix seconds
	Frequency = Family{Name: "scores:frequency", Half: 7 * day, Member: NounFile}              // accesses
	Churn     = Family{Name: "scores:churn", Half: 30 * day, Member: NounFile}                 // commits
	Changes   = Family{Name: "scores:changes", Half: 365 * day, Member: NounFile, Rests: true} // weight of changes: N of co-change
	Changed   = Family{Name: "scores:changed", Member: NounFile}                               // last change of Changes, Unix seconds
	Sessions  = Family{Name: "scores:sessions", Half: 90 * day, Member: NounFile}              // sessions that opened it: n of co-access
	TagFreq   = Family{Name: "tag_freq", Half: 30 * day, Member: NounTag}                      // uses
	TermFreq  = Family{Name: "term_freq", Half: 90 * day, Member: NounTerm}                    // uses, for idf
	Comod     = resting(owned("comod", 365*day, 32, 32, NounFile, NounFile))                   // partner → weight of changing together
	// partner → weight of sessions that open both
	Coaccess = owned("coacc", 90*day, 64, 32, NounFile, NounFile)
	TagFiles = owned("tag", 30*day, 256, 16, NounTag, NounFile) // file → accesses under that tag
	FileTags = owned("file", 30*day, 16, 16, NounFile, NounTag) // tag → accesses under that tag
	// file → weight of opens and commits under it
	TermFiles = owned("term", 90*day, 64, 64, NounTerm, NounFile)
)

func owned(name string, half time.Duration, keep, read int, owner, member Noun) Family {
	return Family{Name: name, Half: half, Keep: keep, Read: read, Owner: owner, Member: member}
}

func resting(f Family) Family {
	f.Rests = true
	return f
}

// Families lists all of them. The order is part of the snapshot format.
var Families = []Family{Recency, Committed, Frequency, Churn, Changes, Sessions, TagFreq, TermFreq,
	Comod, Coaccess, TagFiles, FileTags, TermFiles, Changed}

// Retired are families that earlier versions learned and nobody reads any more. Snapshots and servers may still have them.
var Retired = []Family{{Name: "scores:moves", Half: 90 * day, Member: NounFile, index: unknown},
	{Name: "next", Half: 90 * day, Owner: NounFile, Member: NounFile, index: unknown}}

// unknown is the index of a family that no table has.
const unknown = math.MaxUint8

// earlier is the table of the versions that learned the retired families, by their places of then.
func (t Table) earlier() Table {
	out := append(append(Table{}, t[:6]...), Retired[0])
	out = append(append(out, t[6:10]...), Retired[1])
	return append(out, t[10:]...)
}

// IsRetired reports whether a name of a family, or of a set on a server, is that of a retired one.
func IsRetired(name string) bool {
	for i := range Retired {
		if rest, ok := strings.CutPrefix(name, Retired[i].Name); ok && (rest == "" || rest[0] == ':') {
			return true
		}
	}
	return false
}

// Table is the families with one store's half-lives and bounds, in the order of Families.
type Table []Family

// NewTable applies the overrides, each under its family's name. Half-lives are cut to whole seconds. The error names
// a half-life below 1 s or a bound below 1.
func NewTable(half map[string]time.Duration, keep map[string]int) (Table, error) {
	t := make(Table, len(Families))
	for i, f := range Families {
		if h, ok := half[f.Name]; ok && f.Half > 0 {
			if h < time.Second {
				return nil, fmt.Errorf("half-life of %s is %v: give at least 1s", f.Name, h)
			}
			f.Half = h.Truncate(time.Second)
		}
		if n, ok := keep[f.Name]; ok && f.Keep > 0 {
			if n < 1 {
				return nil, fmt.Errorf("keep of %s is %d: give at least 1", f.Name, n)
			}
			f.Keep, f.Read = n, min(n, f.Read)
		}
		f.index = uint8(i)
		t[i] = f
	}
	return t, nil
}

var familyIndex = func() map[string]int {
	m := make(map[string]int, len(Families))
	for i, f := range Families {
		m[f.Name] = i
	}
	return m
}()

// Of finds the settings of a family. It panics on a family that is not in Families.
func (t Table) Of(f Family) *Family {
	i, ok := familyIndex[f.Name]
	if !ok {
		panic("hot: unknown family " + f.Name)
	}
	return &t[i]
}

// fingerprint covers names and half-lives: scores stored under other half-lives mean something else.
func (t Table) fingerprint() uint32 {
	h := crc32.NewIEEE()
	for i := range t {
		fmt.Fprintf(h, "%s %s %d\n", t[i].Name, t[i].Span(), t[i].Owner)
	}
	return h.Sum32()
}

// Span prints the half-life for keys: 7d, 36h, 90s.
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
	staleHalves = 20 // an epoch whose landmark is older is worth < 2^-20 to a reader that has the next one
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

// growth is what an increment of 1 at t adds to epoch k.
func (f *Family) growth(t float64, k int64) float64 {
	return math.Exp2((t - f.landmark(k)) / f.Half.Seconds())
}

// Worth is what a stored 1 of epoch k is worth at t, in Unix seconds; 1 for stamps.
func (f *Family) Worth(t float64, k int64) float64 {
	if f.Half == 0 {
		return 1
	}
	return math.Exp2(-(t - f.landmark(k)) / f.Half.Seconds())
}

// fade is what 1 at one time is worth at a later one.
func (f *Family) fade(from, to float64) float64 { return math.Exp2((from - to) / f.Half.Seconds()) }

// Beside is the other epoch that a reader at t adds to this one; ok is false if there is none.
func (f *Family) Beside(k int64, t float64) (other int64, ok bool) {
	for _, l := range f.Live(t) {
		if l != k {
			return l, true
		}
	}
	return 0, false
}

// Live lists the epochs that a reader at t adds, newest first; of stamps 0.
func (f *Family) Live(t float64) []int64 {
	k := f.Epoch(t)
	if f.Half == 0 || t-f.landmark(k) > staleHalves*f.Half.Seconds() {
		return []int64{k}
	}
	return []int64{k, k - 1}
}
