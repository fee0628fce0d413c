package hot

// Housekeeping plans under writing alone, so that it holds up no question, and changes what it found in one go.

// ownedChange is an owned set as it is to be.
type ownedChange struct {
	key ownedKey
	to  set
}

func (s *Store) setAll(cs []ownedChange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range cs {
		s.setOwned(c.key, c.to)
	}
}

// trim is the tick. Doing it twice is doing it once.
func (s *Store) trim(at float64) {
	s.trimSets(at)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trimNewest()
	s.expire(at)
	s.dropEpochs(at)
}

// trimSets looks at the owned sets that were written since the last tick; the others have only decayed, which changes
// no order.
func (s *Store) trimSets(at float64) {
	var changed []ownedChange
	for key := range s.grown {
		f, old := &s.table[key.family], s.owned(key)
		out := Excess(s.members(f.Member, old), f.Keep, f.Worth(at, key.epoch))
		to := old
		if len(out) > 0 {
			to = without(old, &s.names[f.Member], out)
		}
		changed = append(changed, ownedChange{key, to})
	}
	s.setAll(changed)
	s.grown = map[ownedKey]bool{}
}

// without copies a set, so that views may read the old one meanwhile.
func without(old set, of *names, out []Member) set {
	gone := make(map[uint32]bool, len(out))
	for _, m := range out {
		gone[of.ids[m.Name]] = true
	}
	kept := make(set, 0, len(old)-len(out))
	for _, e := range old {
		if !gone[e.id] {
			kept = append(kept, e)
		}
	}
	return kept
}

// trimNewest keeps the newest stamps. Those of a clock that ran ahead go, too: they would be in the way of the newest.
func (s *Store) trimNewest() {
	for i := range s.table {
		ms := s.members(s.table[i].Member, s.newest[i])
		Highest(ms)
		early := 0
		for early < len(ms) && s.clock.Ahead(ms[early].Score) {
			early++
		}
		out := append(ms[:early:early], ms[min(len(ms), early+NewestKept):]...)
		if len(out) > 0 {
			s.newest[i] = without(s.newest[i], &s.names[s.table[i].Member], out)
		}
	}
}

// expire removes the sessions whose deadline has passed, and those whose deadline was set by a clock that ran ahead:
// they would live on for as long.
func (s *Store) expire(at float64) {
	for id, rec := range s.sessions {
		if rec.Deadline <= at || s.clock.Ahead(rec.Deadline) {
			delete(s.sessions, id)
			s.dirty[record{nounSession, id}] = true
		}
	}
}

// dropEpochs deletes the sets of epochs that no reader adds any more, once an epoch has ended since the last tick. The
// first tick drops nothing: Apply writes no epoch that is too old.
func (s *Store) dropEpochs(at float64) {
	for i := range s.table {
		f := &s.table[i]
		if f.Half == 0 {
			continue
		}
		k := f.Epoch(at)
		before, known := s.trimmed[f.Name]
		if known && before >= k {
			continue
		}
		if s.trimmed[f.Name] = k; !known {
			continue
		}
		for epoch, sc := range s.sets[i] {
			if epoch >= k-1 {
				continue
			}
			for owner := range sc.owned {
				s.setOwned(ownedKey{f.index, epoch, owner}, nil)
			}
			delete(s.sets[i], epoch)
		}
	}
}

// decay drops what of the global sets is worth less than 0.01.
func (s *Store) decay(at float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.table {
		f := &s.table[i]
		if !f.Global() || f.Half == 0 {
			continue
		}
		for k, sc := range s.sets[i] {
			low := TooLow(f.Worth(at, k))
			for id, score := range sc.global {
				if score != 0 && score < low {
					sc.global[id] = 0
					s.markDirty(f.Member, uint32(id))
				}
			}
		}
	}
}
