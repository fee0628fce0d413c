package hot

// globalAt returns, for members of a global set, the sums over the epochs, each decayed until a
// time; stamps are not decayed. For a family that is ByChange, until has the time for each member.
// For all others until is nil, and the time is that of the question.
func (s *Store) globalAt(f *Family, ids []uint32, t float64) (sums, until []float64) {
	sums = make([]float64, len(ids))
	if f.ByChange {
		until = make([]float64, len(ids))
		for i, id := range ids {
			until[i] = s.decayedUntil(f, id, t)
		}
	}
	for _, k := range f.Live(t) {
		sc := s.sets[f.index][k]
		if sc == nil {
			continue
		}
		worth := f.Worth(t, k)
		for i, id := range ids {
			score := sc.score(id)
			if f.ByChange && score != 0 {
				worth = f.Worth(until[i], k)
			}
			sums[i] += score * worth
		}
	}
	return sums, until
}

// ownedAt returns the sums over the epochs of an owner's set, and the time until which they are
// decayed.
func (s *Store) ownedAt(f *Family, owner uint32, t float64) (sums set, until float64) {
	return s.sum(f, owner, f.Live(t), t)
}

// sum is ownedAt for given epochs.
func (s *Store) sum(f *Family, owner uint32, epochs []int64, t float64) (sums set, until float64) {
	until = s.decayedUntil(f, owner, t)
	for _, k := range epochs {
		sc := s.sets[f.index][k]
		if sc == nil || len(sc.owned[owner]) == 0 {
			continue
		}
		st := sc.owned[owner]
		worth, decayed := f.Worth(until, k), make(set, len(st))
		for i, e := range st {
			decayed[i] = entry{e.id, e.score * worth}
		}
		if len(sums) == 0 {
			sums = decayed
		} else {
			sums = sums.plus(decayed)
		}
	}
	return sums, until
}

// decayedUntil returns the time until which the scores of a file are decayed. This is the time of
// the question. In a family that is ByChange, it is the time of the file's last change, if that is
// known and earlier.
func (s *Store) decayedUntil(f *Family, file uint32, t float64) float64 {
	changed := s.sets[Changed.index][0]
	if !f.ByChange || changed == nil {
		return t
	}
	if last := changed.score(file); last != 0 {
		return min(t, last)
	}
	return t
}

// known returns the value that a question gets: 0 if the value is too low.
func (f *Family) known(value float64) float64 {
	if f.Half > 0 && f.Unread(value) {
		return 0
	}
	return value
}
