package hot

import (
	"cmp"
	"slices"
)

// entry is a member of a set, by the id of its name.
type entry struct {
	id    uint32
	score float64
}

// set is a bounded set, ordered by id.
type set []entry

func (s set) find(id uint32) (int, bool) {
	return slices.BinarySearchFunc(s, id, func(e entry, id uint32) int { return cmp.Compare(e.id, id) })
}

// put sets one score.
func (s set) put(id uint32, score float64) set {
	i, ok := s.find(id)
	if ok {
		s[i].score = score
		return s
	}
	return slices.Insert(s, i, entry{id, score})
}

// add adds to one score.
func (s set) add(id uint32, w float64) set {
	i, ok := s.find(id)
	if ok {
		s[i].score += w
		return s
	}
	return slices.Insert(s, i, entry{id, w})
}

func (s set) remove(id uint32) set {
	if i, ok := s.find(id); ok {
		return slices.Delete(s, i, i+1)
	}
	return s
}

// plus returns the sum of two sets.
func (s set) plus(o set) set {
	out := make(set, 0, len(s)+len(o))
	for len(s) > 0 && len(o) > 0 {
		switch c := cmp.Compare(s[0].id, o[0].id); {
		case c < 0:
			out, s = append(out, s[0]), s[1:]
		case c > 0:
			out, o = append(out, o[0]), o[1:]
		default:
			out, s, o = append(out, entry{s[0].id, s[0].score + o[0].score}), s[1:], o[1:]
		}
	}
	return append(append(out, s...), o...)
}

func (s set) sort() {
	slices.SortFunc(s, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
}

// scores has the sets of one family and epoch: one set for a global family, one per owner for an
// owned family.
type scores struct {
	global []float64      // by id of the member; 0 for ids that are not members
	owned  map[uint32]set // by id of the owner; owners without members have no set
}

func (s *scores) score(id uint32) float64 {
	if int(id) < len(s.global) {
		return s.global[id]
	}
	return 0
}

// member returns a pointer to the score of a member of a global set.
func (s *scores) member(id uint32) *float64 {
	if n := int(id) + 1; n > len(s.global) {
		s.global = slices.Grow(s.global, n-len(s.global))[:n]
	}
	return &s.global[id]
}

// put replaces an owner's set. An empty set is deleted.
func (s *scores) put(owner uint32, of set) {
	if len(of) > 0 {
		s.owned[owner] = of
	} else {
		delete(s.owned, owner)
	}
}
