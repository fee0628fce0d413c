package hot

// Housekeeping plans under writing alone, so that it holds up no question, and changes what it found in one go.

// trim is the tick. Doing it twice is doing it once.
func (s *Store) trim(at float64) {
	s.changeAll(s.planSets(at))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trimNewest()
	s.dropEpochs(at)
}

// planSets checks the owned sets that were written since the last tick; the others have only decayed, which changes
// no order.
func (s *Store) planSets(at float64) (out []change) {
	for key := range s.grown {
		out = s.planExcess(out, key, at, Families[key.family].Keep)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grown = map[ownedKey]bool{}
	return out
}

// crowded is the least number of members above which a set is trimmed between ticks: the pairs of a commit of 100 files
// stay together until the tick.
const crowded = 256

// planCrowded trims those of the changed sets that are four times as large as a tick leaves them. Ticks come by the
// hour, and busy sessions would fill the memory until then.
func (s *Store) planCrowded(cs []change) (out []change) {
	for _, c := range cs {
		key := ownedKey{c.Family.index, c.Epoch, s.names[c.Family.Owner].find(c.Owner)}
		if len(s.owned(key)) > max(crowded, 4*c.Family.Keep) {
			out = s.planExcess(out, key, s.clock.Believable(s.latest), c.Family.Keep)
		}
	}
	return out
}

// planPast finds the sets of a family's epochs that no reader adds any more.
func (s *Store) planPast(out []change, f *Family, at float64) []change {
	for k, sc := range s.sets[f.index] {
		if !f.Past(k, at) {
			continue
		}
		if f.Global() {
			out = append(out, change{do: removeSet, Family: f, Epoch: k})
		}
		for owner := range sc.owned {
			out = append(out, change{do: removeSet, Family: f, Epoch: k, Owner: s.names[f.Owner].texts[owner]})
		}
	}
	return out
}

// planExcess adds what an owned set, of at most keep members, is to lose.
func (s *Store) planExcess(out []change, key ownedKey, at float64, keep int) []change {
	f := Families[key.family]
	var also []Member
	other, both := f.Beside(key.epoch, at)
	if both {
		also = s.members(f.Member, s.owned(ownedKey{key.family, other, key.owner}))
	}
	until := s.decayedUntil(f, key.owner, asOf{at, s.clock})
	lost := f.Excess(s.members(f.Member, s.owned(key)), f.Worth(until, key.epoch), also, f.Worth(until, other), keep)
	if len(lost) == 0 {
		return out
	}
	return append(out, change{removeMembers, f, key.epoch, s.names[f.Owner].texts[key.owner], lost})
}

// trimNewest keeps the newest stamps. Those of a clock that ran ahead go, too: they would be in the way of the newest.
func (s *Store) trimNewest() {
	for i, f := range Families {
		ms := s.members(f.Member, s.newest[i])
		Highest(ms)
		early := 0
		for early < len(ms) && s.clock.Ahead(ms[early].Score) {
			early++
		}
		for _, m := range append(ms[:early:early], ms[min(len(ms), early+NewestKept):]...) {
			s.newest[i] = s.newest[i].remove(s.names[f.Member].ids[m.Name])
		}
	}
}

// dropEpochs deletes the sets of epochs that no reader adds any more, once an epoch has ended since the last tick. The
// first tick drops nothing: Apply writes no epoch that is too old.
func (s *Store) dropEpochs(at float64) {
	for _, f := range Families {
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
		for _, c := range s.planPast(nil, f, at) {
			s.change(c)
		}
	}
}

// planDecay finds what of the global sets reads as 0.
func (s *Store) planDecay(at float64) (out []change) {
	for _, f := range Families {
		if !f.Global() || f.Half == 0 {
			continue
		}
		names := &s.names[f.Member]
		ids := names.all()
		sums, _ := s.globalAt(f, ids, asOf{at, s.clock})
		for _, k := range f.Live(at) {
			lost := change{do: removeMembers, Family: f, Epoch: k}
			for i, id := range ids {
				if score := s.score(f, k, id); score != 0 && f.Unread(sums[i]) {
					lost.Members = append(lost.Members, Member{names.texts[id], score})
				}
			}
			out = append(out, lost)
		}
	}
	return out
}

// score is a member's score in a global set.
func (s *Store) score(f *Family, epoch int64, id uint32) float64 {
	if sc := s.sets[f.index][epoch]; sc != nil {
		return sc.score(id)
	}
	return 0
}
