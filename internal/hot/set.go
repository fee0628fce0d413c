package hot

import (
	"cmp"
	"slices"
)

// entry is a member of a set by the id of its name.
type entry struct {
	id    uint32
	score float64
}

// set is a bounded set, in the order of the ids.
type set []entry

func (s set) find(id uint32) (int, bool) {
	return slices.BinarySearchFunc(s, id, func(e entry, id uint32) int { return cmp.Compare(e.id, id) })
}

// score is 0 for no member.
func (s set) score(id uint32) float64 {
	if i, ok := s.find(id); ok {
		return s[i].score
	}
	return 0
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

func (s set) remove(id uint32) set {
	if i, ok := s.find(id); ok {
		return slices.Delete(s, i, i+1)
	}
	return s
}

// add adds the scores of more, which is in the order of the ids and is used up.
func (s set) add(more set) set {
	fresh := more[:0]
	for _, e := range more {
		if i, ok := s.find(e.id); ok {
			s[i].score += e.score
		} else {
			fresh = append(fresh, e)
		}
	}
	i, j := len(s)-1, len(fresh)-1
	s = append(s, fresh...)
	for k := len(s) - 1; j >= 0; k-- { // merge from the end
		if i >= 0 && s[i].id > fresh[j].id {
			s[k], i = s[i], i-1
		} else {
			s[k], j = fresh[j], j-1
		}
	}
	return s
}

func (s set) sort() {
	slices.SortFunc(s, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
}

// scores are the sets of one family and epoch: one of a global family, one per owner of an owned family.
type scores struct {
	global []float64      // by id of the member; 0 is no member
	owned  map[uint32]set // by id of the owner
}

func (s *scores) score(id uint32) float64 {
	if int(id) < len(s.global) {
		return s.global[id]
	}
	return 0
}

// member is where the score of a member of a global set is.
func (s *scores) member(id uint32) *float64 {
	if n := int(id) + 1; n > len(s.global) {
		s.global = slices.Grow(s.global, n-len(s.global))[:n]
	}
	return &s.global[id]
}
