package hot

import "slices"

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
		changed = s.excess(changed, key, at, s.table[key.family].Keep)
	}
	s.setAll(changed)
	s.grown = map[ownedKey]bool{}
}

// excess adds what is to be left of an owned set, of at most keep members, if it loses any.
func (s *Store) excess(changed []ownedChange, key ownedKey, at float64, keep int) []ownedChange {
	f, old := &s.table[key.family], s.owned(key)
	var also []Member
	other, both := f.Beside(key.epoch, at)
	if both {
		also = s.members(f.Member, s.owned(ownedKey{key.family, other, key.owner}))
	}
	if f.Rests {
		at = Rested(at, s.scores(s.table.Of(Changed), 0).of(key.owner), s.clock)
	}
	out := f.Excess(s.members(f.Member, old), f.Worth(at, key.epoch), also, f.Worth(at, other), keep)
	if len(out) == 0 {
		return changed
	}
	return append(changed, ownedChange{key, s.without(f, old, out)})
}

// without copies a set, because views may read the old one meanwhile.
func (s *Store) without(f *Family, old set, out []Member) set {
	gone := make(map[uint32]bool, len(out))
	for _, m := range out {
		gone[s.names[f.Member].ids[m.Name]] = true
	}
	return slices.DeleteFunc(slices.Clone(old), func(e entry) bool { return gone[e.id] })
}

// trimNewest keeps the newest stamps. Those of a clock that ran ahead go, too: they would be in the way of the newest.
func (s *Store) trimNewest() {
	for i := range s.table {
		f := &s.table[i]
		ms := s.members(f.Member, s.newest[i])
		Highest(ms)
		early := 0
		for early < len(ms) && s.clock.Ahead(ms[early].Score) {
			early++
		}
		out := append(ms[:early:early], ms[min(len(ms), early+NewestKept):]...)
		s.newest[i] = s.without(f, s.newest[i], out)
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

// decay drops what of the global sets reads as 0.
func (s *Store) decay(at float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.scores(s.table.Of(Changed), 0)
	for i := range s.table {
		f := &s.table[i]
		if !f.Global() || f.Half == 0 {
			continue
		}
		live := f.Live(at)
		for id := range s.names[f.Member].texts {
			worth, any, then := 0.0, false, at
			if f.Rests {
				then = Rested(at, changed.of(uint32(id)), s.clock)
			}
			for _, k := range live {
				if sc := s.sets[i][k]; sc != nil {
					score := sc.of(uint32(id))
					worth, any = worth+score*f.Worth(then, k), any || score != 0
				}
			}
			if !any || !f.Unread(worth) {
				continue
			}
			for _, k := range live {
				if sc := s.sets[i][k]; sc != nil && sc.of(uint32(id)) != 0 {
					sc.global[id] = 0
				}
			}
			s.markDirty(f.Member, uint32(id))
		}
	}
}
