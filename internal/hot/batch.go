package hot

import (
	"math"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Batch accumulates changes in memory. Increments to the same (family, owner, epoch, member) add up, so a bulk import
// writes each partner set once. A store applies it in this order: renames, increments and stamps,
// Trim, Decay, Sweep. A rename moves the increments before it, so renames may come first. Not safe for concurrent use.
type Batch struct {
	names   aliases
	sets    map[setKey]map[alias]float64 // set → member → increment
	stamps  map[stampKey]float64         // newest, Unix seconds
	renames [][2]string                  // from, to, in order
	trim    time.Time                    // zero: none; decay and sweep, too
	decay   time.Time
	sweep   time.Time
	cap     int
	newest  float64 // latest time of all, Unix seconds
}

type setKey struct {
	family uint8
	epoch  int32
	owner  alias
}

type stampKey struct {
	family uint8
	member alias
}

// NewBatch makes an empty batch.
func NewBatch() *Batch {
	return &Batch{names: newAliases(), sets: map[setKey]map[alias]float64{}, stamps: map[stampKey]float64{},
		newest: math.Inf(-1)}
}

// maxName is the longest owner or member kept, in bytes.
const maxName = event.MaxPath

// Add increments member's score by w at time t: w·2^((t-L_k)/h) in the set of epoch k = ⌊t/32h⌋. The owner is "" for
// global families; w may be negative. It ignores an increment that is 0, NaN, infinite or nameless: one NaN would
// poison a set for good. For a family of stamps, Add is Stamp.
func (b *Batch) Add(f *Family, owner, member string, t time.Time, w float64) {
	if f.Half == 0 {
		b.Stamp(f, member, t)
		return
	}
	if member == "" || len(member) > maxName || len(owner) > maxName || (owner == "") != f.Global() {
		return
	}
	at := Seconds(t)
	k := f.Epoch(at)
	w *= f.growth(at, k)
	if w == 0 || math.IsNaN(w) || math.IsInf(w, 0) || k != int64(int32(k)) {
		return
	}
	key := setKey{f.index, int32(k), b.names.id(f.Owner, owner)}
	set := b.sets[key]
	if set == nil {
		set = make(map[alias]float64, 1)
		b.sets[key] = set
	}
	set[b.names.id(f.Member, member)] += w
	b.newest = max(b.newest, at)
}

// Stamp keeps the newest time of a member (Recency, Committed).
func (b *Batch) Stamp(f *Family, member string, t time.Time) {
	if f.Half != 0 || member == "" || len(member) > maxName || t.IsZero() {
		return
	}
	key := stampKey{f.index, b.names.id(f.Member, member)}
	at := Seconds(t)
	if old, ok := b.stamps[key]; !ok || at > old {
		b.stamps[key] = at
	}
	b.newest = max(b.newest, at)
}

// Rename carries every score, stamp and edge of a file over to its new name, in both directions of an edge. It adds
// to what the new name has already.
func (b *Batch) Rename(from, to event.Path) {
	if from == "" || to == "" || from == to {
		return
	}
	b.names.rename(string(from), string(to))
	b.renames = append(b.renames, [2]string{string(from), string(to)})
}

// Trim does the tick's housekeeping after everything else in the batch: owned sets that were written since the last
// tick lose all but the Keep highest members (ties by name), and of these those worth less than 0.01 that are not among
// the Read highest; epochs older than the newest two are dropped. No answer changes.
func (b *Batch) Trim(at time.Time) { b.job(&b.trim, at) }

// Decay drops, after everything else in the batch, members of global sets that read as 0 by then: a file
// without a touch for some twenty half-lives. Nothing else is rewritten, see the package comment.
func (b *Batch) Decay(at time.Time) { b.job(&b.decay, at) }

// Sweep drops, after everything else in the batch, what no other housekeeping finds: members of owned sets without
// new writes, as Trim does, and names that nothing refers to.
func (b *Batch) Sweep(at time.Time) { b.job(&b.sweep, at) }

func (b *Batch) job(when *time.Time, at time.Time) {
	if at.After(*when) {
		*when = at
	}
	b.newest = max(b.newest, Seconds(at))
}

// Cap keeps at most n members per owned set inside this batch (highest weight, ties by name; of several caps the
// smallest counts). For bulk imports: a set that would be trimmed anyway is not written first.
func (b *Batch) Cap(n int) {
	if n > 0 && (b.cap == 0 || n < b.cap) {
		b.cap = n
	}
}
