package hot

import "slices"

// do is what a change does.
type do byte

// What a change does to its set.
const (
	addScores     do = iota // adds to the scores of members
	latestStamps            // moves the stamps of members forward
	removeMembers           // removes members, or those that still have a given score
	removeSet
)

// change changes one set of scores as they are stored. What a batch changes is a list of these, and so is what
// housekeeping and renames find to do.
type change struct {
	do      do
	Family  *Family
	Epoch   int64
	Owner   string   // "" for a global family
	Members []Member // removeMembers: a score of 0 is any score. removeSet: none
}

func (s *Store) change(c change) {
	switch c.do {
	case addScores:
		s.increment(c)
	case latestStamps:
		s.stamp(c)
	case removeMembers:
		s.removeMembers(c)
	case removeSet:
		s.removeSet(c)
	}
}

// changeAll carries out what was planned under writing alone.
func (s *Store) changeAll(cs []change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range cs {
		s.change(c)
	}
}

func (s *Store) increment(c change) {
	if len(c.Members) == 0 {
		return
	}
	members, sc := &s.names[c.Family.Member], s.scores(c.Family, c.Epoch)
	if c.Family.Global() {
		for _, m := range c.Members {
			id := members.id(m.Name)
			*sc.member(id) += m.Score
		}
		return
	}
	more := make(set, len(c.Members))
	for i, m := range c.Members {
		more[i] = entry{members.id(m.Name), m.Score}
	}
	more.sort()
	key := ownedKey{c.Family.index, c.Epoch, s.names[c.Family.Owner].id(c.Owner)}
	s.setOwned(key, sc.owned[key.owner].add(more))
	s.grown[key] = true
}

// stamp moves stamps forward, and the newest of them in the small set that may be asked by rank.
func (s *Store) stamp(c change) {
	members, sc := &s.names[c.Family.Member], s.scores(c.Family, 0)
	for _, m := range c.Members {
		id := members.id(m.Name)
		at := sc.member(id)
		*at = s.later(*at, m.Score)
	}
	for _, m := range Best(slices.Clone(c.Members), NewestKept) {
		s.setNewest(c.Family, members.id(m.Name), m.Score)
	}
}

func (s *Store) setNewest(f *Family, id uint32, at float64) {
	newest := s.newest[f.index]
	s.newest[f.index] = newest.put(id, s.later(newest.score(id), at))
}

// later is the later of two times, unless the old one is of a clock that ran ahead. An old 0 is no time.
func (s *Store) later(old, at float64) float64 {
	if old != 0 && at <= old && !s.clock.Ahead(old) {
		return old
	}
	return at
}

func (s *Store) removeMembers(c change) {
	members, sc := &s.names[c.Family.Member], s.sets[c.Family.index][c.Epoch]
	if sc == nil {
		return
	}
	if c.Family.Global() {
		for _, m := range c.Members {
			id, ok := members.ids[m.Name]
			if !ok || m.Score != 0 && m.Score != sc.score(id) {
				continue
			}
			if sc.score(id) != 0 {
				sc.global[id] = 0
			}
			s.newest[c.Family.index] = s.newest[c.Family.index].remove(id)
		}
		return
	}
	owner, ok := s.names[c.Family.Owner].ids[c.Owner]
	if !ok {
		return
	}
	gone := make(map[uint32]float64, len(c.Members))
	for _, m := range c.Members {
		if id, ok := members.ids[m.Name]; ok {
			gone[id] = m.Score
		}
	}
	kept := slices.DeleteFunc(sc.owned[owner], func(e entry) bool {
		score, ok := gone[e.id]
		return ok && (score == 0 || score == e.score)
	})
	// The copy has no room for what is gone: otherwise a set would keep the memory of the largest that it ever was.
	s.setOwned(ownedKey{c.Family.index, c.Epoch, owner}, slices.Clone(kept))
}

func (s *Store) removeSet(c change) {
	sc := s.sets[c.Family.index][c.Epoch]
	if sc == nil {
		return
	}
	if owner, ok := s.names[c.Family.Owner].ids[c.Owner]; ok && !c.Family.Global() {
		s.setOwned(ownedKey{c.Family.index, c.Epoch, owner}, nil)
	}
	if len(sc.owned) == 0 {
		delete(s.sets[c.Family.index], c.Epoch)
	}
}
