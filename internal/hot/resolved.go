package hot

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// resolved is what a batch changes, in a fixed order: the same batch always resolves to the same. Stores apply it in
// the order of the fields.
type resolved struct {
	Newest  float64           // latest time in the batch, Unix seconds
	Moved   map[string]string // name of a file in the store → its name now
	Changes []change          // increments by family, epoch and owner, then stamps by family; members by name

	Trim, Decay, Sweep time.Time // zero: none
}

// resolve resolves the batch.
func (b *Batch) resolve() *resolved {
	return &resolved{Newest: b.newest, Moved: compose(b.renames), Changes: append(b.resolveSets(), b.resolveStamps()...),
		Trim: b.trim, Decay: b.decay, Sweep: b.sweep}
}

// resolveSets names and orders the batch's sets, and caps owned ones.
func (b *Batch) resolveSets() []change {
	sets := b.sets
	if len(b.renames) > 0 {
		sets = b.merged()
	}
	out := make([]change, 0, len(sets))
	for key, ms := range sets {
		f := Families[key.family]
		c := change{addScores, f, int64(key.epoch), b.names.texts[key.owner], make([]Member, 0, len(ms))}
		for a, score := range ms {
			if a == key.owner && f.Owner == f.Member {
				continue // a rename made the two ends of an edge one file
			}
			c.Members = append(c.Members, Member{b.names.texts[a], score})
		}
		if b.cap > 0 && !f.Global() && len(c.Members) > b.cap {
			slices.SortFunc(c.Members, func(x, y Member) int {
				return cmp.Or(cmp.Compare(coarse(math.Abs(y.Score)), coarse(math.Abs(x.Score))), cmp.Compare(x.Name, y.Name))
			})
			c.Members = c.Members[:b.cap]
		}
		slices.SortFunc(c.Members, byName)
		out = append(out, c)
	}
	slices.SortFunc(out, func(x, y change) int {
		return cmp.Or(cmp.Compare(x.Family.index, y.Family.index), cmp.Compare(x.Epoch, y.Epoch),
			cmp.Compare(x.Owner, y.Owner))
	})
	return out
}

func byName(a, b Member) int { return cmp.Compare(a.Name, b.Name) }

// merged adds up the sets and members that renames have made one.
func (b *Batch) merged() map[setKey]map[alias]float64 {
	out := make(map[setKey]map[alias]float64, len(b.sets))
	for key, ms := range b.sets {
		key.owner = b.names.now(key.owner)
		set := out[key]
		if set == nil {
			set = make(map[alias]float64, len(ms))
			out[key] = set
		}
		for a, score := range ms {
			set[b.names.now(a)] += score
		}
	}
	return out
}

func (b *Batch) resolveStamps() (out []change) {
	byFamily := make([]map[string]float64, len(Families))
	for key, at := range b.stamps {
		if byFamily[key.family] == nil {
			byFamily[key.family] = map[string]float64{}
		}
		name := b.names.text(key.member)
		byFamily[key.family][name] = max(at, byFamily[key.family][name])
	}
	for i, stamps := range byFamily {
		if len(stamps) > 0 {
			out = append(out, change{do: latestStamps, Family: Families[i], Members: members(stamps)})
		}
	}
	return out
}

// members lists a map by name.
func members(m map[string]float64) []Member {
	ms := make([]Member, 0, len(m))
	for name, score := range m {
		ms = append(ms, Member{name, score})
	}
	slices.SortFunc(ms, byName)
	return ms
}

// compose folds renames in order into one map from the name in the store to the name now.
func compose(renames [][2]string) map[string]string {
	from := map[string][]string{} // name now → names in the store that it stands for
	origins := func(n string) []string {
		if o, ok := from[n]; ok {
			return o
		}
		return []string{n}
	}
	for _, r := range renames {
		moved := append(origins(r[1]), origins(r[0])...)
		from[r[0]] = nil
		from[r[1]] = moved
	}
	out := map[string]string{}
	for now, olds := range from {
		for _, old := range olds {
			if old != now {
				out[old] = now
			}
		}
	}
	return out
}
