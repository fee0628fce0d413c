package hot

import (
	"fmt"
	"hash/crc32"
	"math"
	"time"
)

const (
	epochHalves = 32 // half-lives per epoch: the factor of an increment stays below 2^33
	staleHalves = 20 // an epoch whose landmark is older is worth < 2^-20 to a reader that has the next one
)

// noun says what the names of a set are: files, tags and terms are renamed and forgotten apart.
type noun uint8

const (
	nounNone noun = iota
	nounPath
	nounTag
	nounTerm
)

// family is a Family with this store's settings.
type family struct {
	Family
	index         uint8
	half          float64 // seconds; 0: stamps
	span          string
	keep          int
	owner, member noun
}

// families indexes Families by position; the position is part of the snapshot format (see record.go).
type families []*family

// newFamilies applies the overrides. Half-lives are whole seconds, at least one.
func newFamilies(half map[string]time.Duration, keep map[string]int) (families, error) {
	fs := make(families, len(Families))
	for i, f := range Families {
		if h, ok := half[f.Name]; ok && f.Half > 0 {
			if h < time.Second {
				return nil, fmt.Errorf("hot: half-life of %s is %v: give at least 1s", f.Name, h)
			}
			f.Half = h.Truncate(time.Second)
		}
		if n, ok := keep[f.Name]; ok && f.Keep > 0 {
			if n < 1 {
				return nil, fmt.Errorf("hot: keep of %s is %d: give at least 1", f.Name, n)
			}
			f.Keep = n
		}
		fs[i] = &family{Family: f, index: uint8(i), half: f.Half.Seconds(), span: span(f.Half), keep: f.Keep,
			owner: ownerOf(f.Name), member: memberOf(f.Name)}
	}
	return fs, nil
}

func ownerOf(name string) noun {
	switch name {
	case Comod.Name, Coaccess.Name, Next.Name, FileTags.Name:
		return nounPath
	case TagFiles.Name:
		return nounTag
	case TermFiles.Name:
		return nounTerm
	}
	return nounNone
}

func memberOf(name string) noun {
	switch name {
	case TagFreq.Name, FileTags.Name:
		return nounTag
	case TermFreq.Name:
		return nounTerm
	}
	return nounPath
}

// defaults serves batches that were made without a store.
var defaults = func() families {
	fs, err := newFamilies(nil, nil)
	if err != nil {
		panic(err) // the table of families itself is wrong
	}
	return fs
}()

var familyIndex = func() map[string]int {
	m := make(map[string]int, len(Families))
	for i, f := range Families {
		m[f.Name] = i
	}
	return m
}()

// of finds the settings of a family; a family that is not in Families is a programmer's error.
func (fs families) of(f Family) *family {
	i, ok := familyIndex[f.Name]
	if !ok {
		panic("hot: unknown family " + f.Name)
	}
	return fs[i]
}

// print is a fingerprint of the names and half-lives: scores stored under other half-lives mean something else.
func (fs families) print() uint32 {
	h := crc32.NewIEEE()
	for _, f := range fs {
		fmt.Fprintf(h, "%s %s %d\n", f.Name, f.span, f.owner)
	}
	return h.Sum32()
}

// seconds is the form of all times in the store: Unix seconds with milliseconds as fraction.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func moment(s float64) time.Time { return time.UnixMilli(int64(math.Round(s * 1000))).UTC() }

// epoch is k = ⌊t/32h⌋. Only for families that decay.
func (f *family) epoch(t float64) int64 { return int64(math.Floor(t / (epochHalves * f.half))) }

func (f *family) landmark(k int64) float64 { return epochHalves * f.half * float64(k) }

// grow is what an increment of 1 at t adds to epoch k.
func (f *family) grow(t float64, k int64) float64 { return math.Exp2((t - f.landmark(k)) / f.half) }

// decay is what a stored 1 of epoch k is worth at t.
func (f *family) decay(t float64, k int64) float64 { return math.Exp2(-(t - f.landmark(k)) / f.half) }

// live lists the epochs that a reader at t adds, newest first.
func (f *family) live(t float64) []int64 {
	k := f.epoch(t)
	if t-f.landmark(k) > staleHalves*f.half {
		return []int64{k}
	}
	return []int64{k, k - 1}
}

// undated is the newest time of a store in which nothing was said yet.
const undated = -1 << 62
