package hot

import "slices"

// Do is what a Change does. The values are part of the protocol of package redis.
type Do byte

// What a Change does to its set.
const (
	AddScores     Do = '+' // adds to the scores of members
	LatestStamps  Do = '>' // moves the stamps of members forward
	RemoveMembers Do = '-' // removes members, or those that still have a given score
	RemoveSet     Do = '0'
)

// Change changes one set of scores as they are stored. What a batch changes is a list of these, and so is what
// housekeeping and renames find to do. So a server and its mirrors carry out the same.
type Change struct {
	Do      Do
	Family  *Family
	Epoch   int64
	Owner   string   // "" for a global family
	Members []Member // RemoveMembers: a score of 0 is any score. RemoveSet: none
}

// Change carries out changes of stored scores, in order and all at once. Stamps move the store's latest time.
func (s *Store) Change(cs []Change) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range cs {
		s.change(c)
		if c.Do == LatestStamps {
			for _, m := range c.Members {
				s.latest = max(s.latest, m.Score)
			}
		}
	}
}

// Latest is the latest time of all events, in Unix seconds; Undated before the first.
func (s *Store) Latest() float64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.latest
}

func (s *Store) change(c Change) {
	switch c.Do {
	case AddScores:
		s.increment(c)
	case LatestStamps:
		s.stamp(c)
	case RemoveMembers:
		s.removeMembers(c)
	case RemoveSet:
		s.removeSet(c)
	}
}

// changeAll carries out what was planned under writing alone.
func (s *Store) changeAll(cs []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range cs {
		s.change(c)
	}
}

func (s *Store) increment(c Change) {
	if len(c.Members) == 0 {
		return
	}
	members, sc := &s.names[c.Family.Member], s.scores(c.Family, c.Epoch)
	if c.Family.Global() {
		for _, m := range c.Members {
			id := members.id(m.Name)
			*sc.member(id) += m.Score
			members.dirty[id] = true
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
func (s *Store) stamp(c Change) {
	members, sc := &s.names[c.Family.Member], s.scores(c.Family, 0)
	for _, m := range c.Members {
		id := members.id(m.Name)
		at := sc.member(id)
		*at = s.later(*at, m.Score)
		members.dirty[id] = true
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

func (s *Store) removeMembers(c Change) {
	members, sc := &s.names[c.Family.Member], s.sets[c.Family.index][c.Epoch]
	if sc == nil {
		return
	}
	if c.Family.Global() {
		for _, m := range c.Members {
			id, ok := members.ids[m.Name]
			if !ok || m.Score != 0 && m.Score != sc.of(id) {
				continue
			}
			if sc.of(id) != 0 {
				sc.global[id] = 0
				members.dirty[id] = true
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
	s.setOwned(ownedKey{c.Family.index, c.Epoch, owner}, slices.DeleteFunc(sc.owned[owner], func(e entry) bool {
		score, ok := gone[e.id]
		return ok && (score == 0 || score == e.score)
	}))
}

func (s *Store) removeSet(c Change) {
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
