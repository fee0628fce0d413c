package hot

import (
	"slices"
	"strings"
)

// rename carries over what the store holds, to all new names at once: one file's old name may be another's new one.
// The batch's own increments have their new names already. It looks at every set: partner edges are trimmed on each
// side by itself, so no set knows who holds its owner. That takes some 5 ms for 100,000 files.
func (s *Store) rename(moved map[string]string) {
	files := &s.names[NounFile]
	var olds []uint32
	for name := range moved {
		if id, ok := files.ids[name]; ok {
			olds = append(olds, id)
		}
	}
	slices.SortFunc(olds, func(a, b uint32) int { return strings.Compare(files.texts[a], files.texts[b]) })
	for _, id := range olds {
		now := files.id(moved[files.texts[id]])
		files.dirty[id], files.dirty[now] = true, true
	}
	if len(olds) > 0 {
		now := make([]uint32, len(files.texts)) // id → id of the name now
		for i := range now {
			now[i] = uint32(i)
		}
		for _, id := range olds {
			now[id] = files.ids[moved[files.texts[id]]]
		}
		for i := range s.table {
			f := &s.table[i]
			for k, sc := range s.sets[i] {
				if !f.Global() {
					s.renameOwned(f, k, sc, now)
				} else if f.Member == NounFile {
					s.renameGlobal(f, sc, olds, now)
				}
			}
		}
	}
	for id, rec := range s.sessions {
		if len(moved) > 0 && s.renameInSession(rec, moved) {
			s.dirty[record{nounSession, id}] = true
		}
	}
}

// renameGlobal moves scores of a global set; of two stamps the later stays.
func (s *Store) renameGlobal(f *Family, sc *scores, olds, now []uint32) {
	values, newest := make([]float64, len(olds)), make([]float64, len(olds))
	for i, old := range olds {
		values[i], newest[i] = sc.of(old), s.newest[f.index].score(old)
		*sc.member(old) = 0
		s.newest[f.index] = s.newest[f.index].remove(old)
	}
	for i, old := range olds {
		if to := sc.member(now[old]); f.Half > 0 {
			*to += values[i]
		} else if values[i] != 0 {
			*to = s.later(*to, values[i])
		}
		if newest[i] != 0 {
			s.setNewest(f, now[old], newest[i])
		}
	}
}

// renameOwned moves the sets of renamed owners, and renames the members of all.
func (s *Store) renameOwned(f *Family, epoch int64, sc *scores, now []uint32) {
	type owned struct {
		to ownedKey
		set
	}
	var sets []owned
	for owner, st := range sc.owned {
		to := owner
		if f.Owner == NounFile {
			to = now[owner]
		}
		if to != owner || f.Member == NounFile && slices.ContainsFunc(st, func(e entry) bool { return now[e.id] != e.id }) {
			sets = append(sets, owned{ownedKey{f.index, epoch, to}, st})
			s.setOwned(ownedKey{f.index, epoch, owner}, nil)
		}
	}
	for _, o := range sets {
		if f.Member == NounFile {
			o.set = renamedMembers(o.set, now)
		}
		if f.Owner == f.Member {
			o.set = o.set.remove(o.to.owner) // both ends of that edge became one file
		}
		s.setOwned(o.to, sc.owned[o.to.owner].add(o.set))
		s.grown[o.to] = true
	}
}

// renamedMembers adds up what has one name now.
func renamedMembers(from set, now []uint32) set {
	out := make(set, 0, len(from))
	for _, e := range from {
		if i, ok := out.find(now[e.id]); ok {
			out[i].score += e.score
		} else {
			out = slices.Insert(out, i, entry{now[e.id], e.score})
		}
	}
	return out
}

// renameInSession reports whether the session had one of the files.
func (s *Store) renameInSession(rec *SessionRecord, moved map[string]string) (hit bool) {
	for p := range Parts {
		found := map[string]float64{}
		for name, score := range rec.Parts[p] {
			if now, ok := moved[name]; ok && p != PartTerms {
				delete(rec.Parts[p], name)
				if old, ok := found[now]; !ok || score > old {
					found[now] = score
				}
				hit = true
			}
		}
		for name, score := range found {
			if old, ok := rec.Parts[p][name]; !ok || score > old || s.clock.Ahead(old) {
				rec.Parts[p][strings.Clone(name)] = score
			}
		}
	}
	for field, name := range rec.Fields {
		if now, ok := moved[name]; ok && strings.HasPrefix(field, FieldCurrent) {
			rec.Fields[field] = strings.Clone(now)
			hit = true
		}
	}
	return hit
}
