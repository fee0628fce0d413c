package hot

// asOf is the time of a question, and the latest stamp that it believes, both in Unix seconds.
type asOf struct{ at, latest float64 }

func (s *Store) asOf(at float64) asOf { return asOf{at, s.clock.latest()} }

// lookup is the last list of members and their ids: a query asks several families for the same
// list.
type lookup struct {
	members []string
	noun    Noun
	ids     []uint32
}

func (l *lookup) find(members []string, noun Noun, in *names) []uint32 {
	if len(l.members) == len(members) && &l.members[0] == &members[0] && l.noun == noun {
		return l.ids
	}
	*l = lookup{members, noun, make([]uint32, len(members))}
	for i, m := range members {
		l.ids[i] = in.find(m)
	}
	return l.ids
}

// globalAt returns the sums over the epochs of members of a global set, each decayed until a time;
// stamps as they are. until is nil but for a family ByChange: that time is the question's.
func (s *Store) globalAt(f *Family, ids []uint32, t asOf) (sums, until []float64) {
	sums = make([]float64, len(ids))
	if f.ByChange {
		until = make([]float64, len(ids))
		for i, id := range ids {
			until[i] = s.decayedUntil(f, id, t)
		}
	}
	for _, k := range f.Live(t.at) {
		sc := s.sets[f.index][k]
		if sc == nil {
			continue
		}
		worth := f.Worth(t.at, k)
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
func (s *Store) ownedAt(f *Family, owner uint32, t asOf) (sums set, until float64) {
	return s.sum(f, owner, f.Live(t.at), t)
}

// sum is ownedAt over some epochs.
func (s *Store) sum(f *Family, owner uint32, epochs []int64, t asOf) (sums set, until float64) {
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

// decayedUntil returns the time until which the scores of a file are decayed: the time of the
// question. In a family that is ByChange it is the time of the file's last change, if that is known
// and earlier, and not from a clock that ran ahead.
func (s *Store) decayedUntil(f *Family, file uint32, t asOf) float64 {
	changed := s.sets[Changed.index][0]
	if !f.ByChange || changed == nil {
		return t.at
	}
	last := changed.score(file)
	if last == 0 || last > t.latest {
		return t.at
	}
	return min(t.at, last)
}

// known returns what a question reads of a value: 0 if the value is too low, and for a stamp of a
// clock that ran ahead.
func (f *Family) known(value float64, t asOf) float64 {
	if f.Half == 0 && value > t.latest || f.Half > 0 && f.Unread(value) {
		return 0
	}
	return value
}
