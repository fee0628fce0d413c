package hot

import "time"

// All returns a whole set as questions at that time read it, in no order: of a global family owner is "". Values are decayed to the
// time, also those of files that rest; stamps are Unix seconds. What reads as 0 is left out.
func (s *Store) All(f Family, owner string, at time.Time) []Member {
	s.writing.Lock()
	defer s.writing.Unlock()
	fam := s.table.Of(f)
	if fam.Global() {
		return s.members(fam.Member, s.global(fam, Seconds(at)))
	}
	id, ok := s.names[fam.Owner].ids[owner]
	if !ok {
		return nil
	}
	return s.members(fam.Member, s.ownedNow(fam, id, Seconds(at)))
}

// Sums returns the owners of an owned family whose sets are not empty at that time, each with the sum of its set as All has it.
func (s *Store) Sums(f Family, at time.Time) []Member {
	s.writing.Lock()
	defer s.writing.Unlock()
	fam := s.table.Of(f)
	var out []Member
	for id, name := range s.names[fam.Owner].texts {
		if name == "" {
			continue
		}
		sum := 0.0
		for _, e := range s.ownedNow(fam, uint32(id), Seconds(at)) {
			sum += e.score
		}
		if sum > 0 {
			out = append(out, Member{name, sum})
		}
	}
	return out
}

// SessionIDs returns the sessions that are live at that time, in no order.
func (s *Store) SessionIDs(at time.Time) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []string
	for id, rec := range s.sessions {
		if rec.Deadline == 0 || rec.Deadline > Seconds(at) {
			out = append(out, id)
		}
	}
	return out
}

// global is a global family's set at a time.
func (s *Store) global(f *Family, at float64) (out set) {
	for id, name := range s.names[f.Member].texts {
		if name == "" {
			continue
		}
		rest, sum := s.rested(f, uint32(id), at), 0.0
		for _, k := range f.Live(at) {
			if sc := s.sets[f.index][k]; sc != nil {
				sum += sc.of(uint32(id)) * f.Worth(rest, k)
			}
		}
		out = s.worthNow(out, f, entry{uint32(id), sum}, rest, at)
	}
	return out
}

// ownedNow is an owner's set at a time.
func (s *Store) ownedNow(f *Family, owner uint32, at float64) (out set) {
	rest := s.rested(f, owner, at)
	var sums set
	for _, k := range f.Live(at) {
		worth := f.Worth(rest, k)
		var decayed set
		for _, e := range s.owned(ownedKey{f.index, k, owner}) {
			decayed = append(decayed, entry{e.id, e.score * worth})
		}
		sums = sums.add(decayed)
	}
	for _, e := range sums {
		out = s.worthNow(out, f, e, rest, at)
	}
	return out
}

// worthNow appends a member, decayed to rest, as it is worth at a later time, unless it reads as 0.
func (s *Store) worthNow(out set, f *Family, e entry, rest, at float64) set {
	switch {
	case e.score == 0, f.Half == 0 && s.clock.Ahead(e.score), f.Half > 0 && f.Unread(e.score):
		return out
	case f.Rests:
		e.score *= f.fade(rest, at)
	}
	return append(out, e)
}

// rested is the time to which the scores of a file are decayed, see View.
func (s *Store) rested(f *Family, file uint32, at float64) float64 {
	changed := s.sets[s.table.Of(Changed).index][0]
	if !f.Rests || changed == nil {
		return at
	}
	return Rested(at, changed.of(file), s.clock)
}
