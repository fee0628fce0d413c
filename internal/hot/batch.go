package hot

import (
	"math"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Batch accumulates changes in memory. Increments to the same (family, owner, epoch, member) add up, so a bulk import
// writes each partner set once. A store applies it in this order: renames, increments and stamps, sessions, facts,
// Trim, Decay, Sweep. A rename moves the increments before it, so renames may come first. Not safe for concurrent use.
// The zero Batch works with default half-lives; Store.Batch takes the store's.
type Batch struct {
	table    Table
	names    aliases
	sets     map[setKey]map[alias]float64 // set → member → increment
	stamps   map[stampKey]float64         // newest, Unix seconds
	renames  [][2]string                  // from, to, in order
	sessions map[string]*SessionWrite
	facts    map[string]map[string]string // key → field → value, "" removes
	trim     time.Time                    // zero: none; decay and sweep, too
	decay    time.Time
	sweep    time.Time
	notices  []Notice
	cap      int
	newest   float64 // latest time of all, Unix seconds
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

func (b *Batch) init() {
	if b.sets != nil {
		return
	}
	if b.table == nil {
		b.table = defaults
	}
	b.names = newAliases()
	b.sets = map[setKey]map[alias]float64{}
	b.stamps = map[stampKey]float64{}
	b.sessions = map[string]*SessionWrite{}
	b.facts = map[string]map[string]string{}
	b.newest = math.Inf(-1)
}

// Empty reports whether applying the batch would change nothing but the sequence.
func (b *Batch) Empty() bool {
	return len(b.sets) == 0 && len(b.stamps) == 0 && len(b.renames) == 0 && len(b.sessions) == 0 && len(b.facts) == 0 &&
		len(b.notices) == 0 && b.trim.IsZero() && b.decay.IsZero() && b.sweep.IsZero()
}

// maxName is the longest owner or member kept, in bytes.
const maxName = event.MaxPath

// Add increments member's score by w at time t: w·2^((t-L_k)/h) in the set of epoch k = ⌊t/32h⌋. The owner is "" for
// global families; w may be negative. It ignores an increment that is 0, NaN, infinite or nameless: one NaN would
// poison a set for good. For a family of stamps, Add is Stamp.
func (b *Batch) Add(f Family, owner, member string, t time.Time, w float64) {
	b.init()
	fam := b.table.Of(f)
	if fam.Half == 0 {
		b.Stamp(f, member, t)
		return
	}
	if member == "" || len(member) > maxName || len(owner) > maxName || (owner == "") != fam.Global() {
		return
	}
	at := Seconds(t)
	k := fam.Epoch(at)
	w *= fam.growth(at, k)
	if w == 0 || math.IsNaN(w) || math.IsInf(w, 0) || k != int64(int32(k)) {
		return
	}
	key := setKey{fam.index, int32(k), b.names.of(fam.Owner, owner)}
	set := b.sets[key]
	if set == nil {
		set = make(map[alias]float64, 1)
		b.sets[key] = set
	}
	set[b.names.of(fam.Member, member)] += w
	b.newest = max(b.newest, at)
}

// Stamp keeps the newest time of a member (Recency, Committed).
func (b *Batch) Stamp(f Family, member string, t time.Time) {
	b.init()
	fam := b.table.Of(f)
	if fam.Half != 0 || member == "" || len(member) > maxName || t.IsZero() {
		return
	}
	key := stampKey{fam.index, b.names.of(fam.Member, member)}
	at := Seconds(t)
	if old, ok := b.stamps[key]; !ok || at > old {
		b.stamps[key] = at
	}
	b.newest = max(b.newest, at)
}

// Rename carries every score, stamp and edge of a file over to its new name, in both directions of an edge. It adds
// to what the new name has already.
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
// two are dropped, and sessions expire whose deadline has passed.
func (b *Batch) Trim(at time.Time) { b.job(&b.trim, at) }

// Decay drops, after everything else in the batch, members of global sets that are worth less than 0.01 by then: a
// file that nobody has touched for some seven half-lives. Nothing else is rewritten, see the package comment.
func (b *Batch) Decay(at time.Time) { b.job(&b.decay, at) }

// Sweep drops, after everything else in the batch, what no other housekeeping finds: members worth less than 0.01 of
// owned sets that nobody writes any more, and names that nothing refers to.
func (b *Batch) Sweep(at time.Time) { b.job(&b.sweep, at) }

func (b *Batch) job(when *time.Time, at time.Time) {
	b.init()
	if at.After(*when) {
		*when = at
	}
	b.newest = max(b.newest, Seconds(at))
}

// Cap keeps at most n members per owned set inside this batch (highest weight, ties by name; of several caps the
// smallest counts). For bulk imports: a set that would be trimmed anyway is not written first.
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

// Notice is an agent's edit of a file, for the other daemons of one server.
type Notice struct {
	Writer  string // the daemon that sends it
	Session string
	Agent   string
	File    event.Path
	At      time.Time
}

// Notice notifies the daemons that share a server, in the same step as the batch. The store in memory ignores it.
func (b *Batch) Notice(n Notice) {
	b.init()
	if n.File != "" && len(n.File) <= maxName {
		b.notices = append(b.notices, n)
	}
}
