package hot

import (
	"maps"
	"slices"
	"strings"
)

// planRename is what renames change in the sets: all files get their new names at once, because one file's old name may
// be another's new one. It changes nothing. It reads every set: partner edges are trimmed on each side by itself, so
// no set knows who holds its owner. That takes some 5 ms for 100,000 files.
func (s *Store) planRename(moved map[string]string) []change {
	files := &s.names[NounFile]
	now := map[uint32]string{} // id of an old name → the new name
	for old, to := range moved {
		if id, ok := files.ids[old]; ok {
			now[id] = to
		}
	}
	if len(now) == 0 {
		return nil
	}
	olds := slices.SortedFunc(maps.Keys(now), func(a, b uint32) int {
		return strings.Compare(files.texts[a],
			files.texts[b])
	})
	var gone, come []change // all old names go before the first new one comes
	for i, f := range Families {
		for _, k := range slices.Sorted(maps.Keys(s.sets[i])) {
			sc := s.sets[i][k]
			switch {
			case !f.Global():
				gone, come = s.renameOwned(gone, come, f, k, now)
			case f.Member == NounFile:
				out, in := change{removeMembers, f, k, "", nil}, change{addScores, f, k, "", nil}
				if f.Half == 0 {
					in.do = latestStamps
				}
				for _, old := range olds {
					if score := sc.score(old); score != 0 {
						out.Members = append(out.Members, Member{Name: files.texts[old]})
						in.Members = append(in.Members, Member{now[old], score})
					}
				}
				gone, come = append(gone, out), append(come, in)
			}
		}
	}
	return append(gone, come...)
}

// renameOwned renames the owners and the members of one family and epoch.
func (s *Store) renameOwned(gone, come []change, f *Family, k int64, now map[uint32]string) ([]change, []change) {
	owners, names, sc := &s.names[f.Owner], &s.names[f.Member], s.sets[f.index][k]
	renamed := func(id uint32) (to string, ok bool) {
		if f.Member == NounFile {
			to, ok = now[id]
		}
		return to, ok
	}
	byName := func(a, b uint32) int { return strings.Compare(owners.texts[a], owners.texts[b]) }
	for _, owner := range slices.SortedFunc(maps.Keys(sc.owned), byName) {
		of, whole := owners.texts[owner], false
		if to, ok := now[owner]; ok && f.Owner == NounFile {
			gone, whole, of = append(gone, change{do: removeSet, Family: f, Epoch: k, Owner: of}), true, to
		}
		out, in := change{removeMembers, f, k, of, nil}, map[string]float64{}
		for _, e := range sc.owned[owner] {
			to, ok := renamed(e.id)
			switch {
			case ok:
				out.Members = append(out.Members, Member{Name: names.texts[e.id]})
			case whole:
				to = names.texts[e.id]
			default:
				continue
			}
			if f.Owner != f.Member || to != of { // else both ends of the edge became one file
				in[to] += e.score
			}
		}
		if !whole && len(out.Members) > 0 {
			gone = append(gone, out)
		}
		if len(in) > 0 {
			come = append(come, change{addScores, f, k, of, members(in)})
		}
	}
	return gone, come
}

// rename carries over what the store holds. The batch's own increments have their new names already.
func (s *Store) rename(moved map[string]string) {
	if len(moved) == 0 {
		return
	}
	for _, c := range s.planRename(moved) {
		s.change(c)
	}
}
