package hot

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Batch accumulates changes in memory. Increments to the same (family, owner, epoch, member) add up, so a bulk import
// writes each partner set once. It is applied in this order: renames, increments and stamps, sessions, facts, trim; a
// rename moves the increments before it, so that is the order in which things were said. Not safe for concurrent
// use. The zero Batch works with default half-lives; Store.Batch takes the store's.
type Batch struct {
	families families
	names    names
	sets     map[setKey]map[name]float64 // set → member → increment
	stamps   map[stampKey]float64        // newest, Unix seconds
	renames  [][2]string                 // from, to, in order
	sessions map[string]*SessionWrite
	facts    map[string]map[string]string // key → field → value, "" removes
	trim     time.Time                    // zero: none; decay and sweep, too
	decay    time.Time
	sweep    time.Time
	told     []Notice // for the other daemons of a server
	cap      int
	newest   float64 // latest time said, Unix seconds
}

type setKey struct {
	family uint8
	epoch  int32
	owner  name
}

type stampKey struct {
	family uint8
	member name
}

// Batch makes an empty batch with the store's half-lives.
func (s *Store) Batch() *Batch { return &Batch{families: s.families} }

func (b *Batch) init() {
	if b.sets != nil {
		return
	}
	if b.families == nil {
		b.families = defaults
	}
	b.names = newNames()
	b.sets = map[setKey]map[name]float64{}
	b.stamps = map[stampKey]float64{}
	b.sessions = map[string]*SessionWrite{}
	b.facts = map[string]map[string]string{}
	b.newest = math.Inf(-1)
}

// Empty reports whether applying the batch would change nothing but the sequence.
func (b *Batch) Empty() bool {
	return len(b.sets) == 0 && len(b.stamps) == 0 && len(b.renames) == 0 && len(b.sessions) == 0 && len(b.facts) == 0 &&
		len(b.told) == 0 && b.trim.IsZero() && b.decay.IsZero() && b.sweep.IsZero()
}

// maxName is the longest owner or member kept, in bytes.
const maxName = event.MaxPath

// Add increments member's score by w at time t: w·2^((t-L_k)/h) in the set of epoch k = ⌊t/32h⌋. The owner is "" for
// global families; w may be negative. An increment that is 0, NaN, infinite or nameless is refused in silence: it
// says nothing, and one NaN would poison a set for good. For a family of stamps, Add is Stamp.
func (b *Batch) Add(f Family, owner, member string, t time.Time, w float64) {
	b.init()
	fam := b.families.of(f)
	if fam.half == 0 {
		b.Stamp(f, member, t)
		return
	}
	if member == "" || len(member) > maxName || len(owner) > maxName || (owner == "") != (fam.owner == nounNone) {
		return
	}
	at := seconds(t)
	k := fam.epoch(at)
	w *= fam.grow(at, k)
	if w == 0 || math.IsNaN(w) || math.IsInf(w, 0) || k != int64(int32(k)) {
		return
	}
	key := setKey{fam.index, int32(k), b.names.of(fam.owner, owner)}
	set := b.sets[key]
	if set == nil {
		set = make(map[name]float64, 1)
		b.sets[key] = set
	}
	set[b.names.of(fam.member, member)] += w
	b.newest = max(b.newest, at)
}

// Stamp keeps the newest time said of a member (Recency, Committed).
func (b *Batch) Stamp(f Family, member string, t time.Time) {
	b.init()
	fam := b.families.of(f)
	if fam.half != 0 || member == "" || len(member) > maxName || t.IsZero() {
		return
	}
	key := stampKey{fam.index, b.names.of(fam.member, member)}
	at := seconds(t)
	if old, ok := b.stamps[key]; !ok || at > old {
		b.stamps[key] = at
	}
	b.newest = max(b.newest, at)
}

// Rename carries every score, stamp and edge of a file over to its new name, in both directions of an edge. What
// the new name had already is added to.
func (b *Batch) Rename(from, to event.Path) {
	b.init()
	if from == "" || to == "" || from == to {
		return
	}
	b.names.rename(string(from), string(to))
	b.renames = append(b.renames, [2]string{string(from), string(to)})
	for _, s := range b.sessions {
		s.rename(string(from), string(to))
	}
}

// Trim does the tick's housekeeping after everything else in the batch: owned sets that were written since the last
// tick lose members worth less than 0.01 and all but the Keep highest (ties by name), epochs older than the newest
// two are dropped, sessions whose deadline has passed go.
func (b *Batch) Trim(at time.Time) {
	b.init()
	if at.After(b.trim) {
		b.trim = at
	}
	b.newest = max(b.newest, seconds(at))
}

// Cap keeps at most n members per owned set inside this batch (highest weight, ties by name; sums of several caps:
// the smallest). For bulk imports: a set that would be trimmed anyway is not written first.
func (b *Batch) Cap(n int) {
	b.init()
	if n > 0 && (b.cap == 0 || n < b.cap) {
		b.cap = n
	}
}

// Fact sets a field of a small durable record (threshold, calibration, counters). An empty value removes the field.
func (b *Batch) Fact(key, field, value string) {
	b.init()
	if key == "" || field == "" {
		return
	}
	m := b.facts[key]
	if m == nil {
		m = map[string]string{}
		b.facts[key] = m
	}
	m[field] = value
}

// member is a name with its stored score.
type member struct {
	name  string
	score float64
}

// highest sorts by score, ties by name. Sums of the same increments in another order differ in the last bits, which
// must not decide who stays: scores are compared to 42 bits (a relative 2e-13, finer than a millisecond of Unix time).
func highest(ms []member) {
	slices.SortFunc(ms, func(a, b member) int {
		if x, y := coarse(a.score), coarse(b.score); x != y {
			return cmp.Compare(y, x)
		}
		return strings.Compare(a.name, b.name)
	})
}

// best keeps the n highest in their order. It reorders ms: of a long set only those that may stay are sorted.
func best(ms []member, n int) []member {
	if len(ms) > 2*n && n > 0 {
		floor, kept := nth(ms, n), ms[:0]
		for _, m := range ms {
			if coarse(m.score) >= floor {
				kept = append(kept, m)
			}
		}
		ms = kept
	}
	highest(ms)
	return ms[:min(n, len(ms))]
}

// nth is the n-th highest score of at least n members. The n highest seen so far are a heap with the lowest on top:
// of a long set few are higher than that, and the rest cost one comparison each.
func nth(ms []member, n int) float64 {
	heap := make([]float64, n)
	for i, m := range ms[:n] {
		heap[i] = coarse(m.score)
	}
	slices.Sort(heap)
	for _, m := range ms[n:] {
		x := coarse(m.score)
		if x <= heap[0] {
			continue
		}
		i := 0
		for c := 1; c < n; c = 2*i + 1 {
			if c+1 < n && heap[c+1] < heap[c] {
				c++
			}
			if x <= heap[c] {
				break
			}
			heap[i], i = heap[c], c
		}
		heap[i] = x
	}
	return heap[0]
}

func coarse(x float64) float64 {
	const low = 1<<10 - 1
	return math.Float64frombits((math.Float64bits(x) + low/2 + 1) &^ low)
}
