package hot

import (
	"maps"
	"slices"
	"time"
)

// Sweep drops epochs that no reader adds any more, values that read as 0 at the given time, and
// names that nothing refers to. Of an owned set it keeps at most the Keep highest members, and of
// these only the Read highest and those with at least 0.01. Equal members are ordered by name. A
// set that had doubled was already trimmed between sweeps. Sweep rewrites nothing else (see the
// package comment) and changes no answer.
func (s *Store) Sweep(at time.Time) {
	now := Seconds(at)
	for _, f := range Families {
		s.sweep(f, now)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for noun := NounFile; noun <= NounTerm; noun++ {
		used := s.used(noun)
		for id, text := range s.names[noun].texts {
			if text != "" && !used[id] {
				s.names[noun].release(uint32(id))
			}
		}
	}
}

// sweep sweeps one family. Questions can be answered between two families.
func (s *Store) sweep(f *Family, now float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.Half == 0:
		s.trimNewest(f)
	case f.Global():
		s.fade(f, now)
	}
	for k, sc := range s.sets[f.index] {
		if f.Past(k, now) {
			delete(s.sets[f.index], k)
			continue
		}
		for owner := range sc.owned {
			s.trim(f, k, owner, now)
		}
	}
}

// trim cuts the set of an owner to the members that are worth keeping by their sum over the two
// epochs that a reader adds up. The copies are as small as possible; otherwise a set would keep the
// memory of its largest size.
func (s *Store) trim(f *Family, epoch int64, owner uint32, at float64) {
	epochs := f.Live(at)
	if !slices.Contains(epochs, epoch) {
		epochs = []int64{epoch}
	}
	sums, _ := s.sum(f, owner, epochs, at)
	best := s.members(f.Member, sums)
	Highest(best)
	stays := make(map[uint32]bool, f.Keep)
	for i, m := range best[:min(f.Keep, len(best))] {
		if !f.Unread(m.Score) && (i < f.Read || coarse(m.Score) >= pruneBelow) {
			stays[s.names[f.Member].ids[m.Name]] = true
		}
	}
	for _, k := range epochs {
		if sc := s.sets[f.index][k]; sc != nil && len(sc.owned[owner]) > 0 {
			kept := slices.DeleteFunc(slices.Clone(sc.owned[owner]), func(e entry) bool { return !stays[e.id] })
			sc.put(owner, slices.Clone(kept))
		}
	}
}

// fade drops the values of a global set that read as 0.
func (s *Store) fade(f *Family, at float64) {
	ids := s.names[f.Member].all()
	sums, _ := s.globalAt(f, ids, at)
	for _, k := range f.Live(at) {
		sc := s.sets[f.index][k]
		for i, id := range ids {
			if sc != nil && sc.score(id) != 0 && f.Unread(sums[i]) {
				sc.global[id] = 0
			}
		}
	}
}

// trimNewest keeps the newest stamps.
func (s *Store) trimNewest(f *Family) {
	var kept set
	for _, m := range Best(s.members(f.Member, s.newest[f.index]), NewestKept) {
		kept = append(kept, entry{s.names[f.Member].ids[m.Name], m.Score})
	}
	kept.sort()
	s.newest[f.index] = kept
}

// used returns, by id, which names of a noun the sets refer to.
func (s *Store) used(noun Noun) []bool {
	used := make([]bool, len(s.names[noun].texts))
	for i, f := range Families {
		for _, sc := range s.sets[i] {
			if f.Owner == noun {
				for owner := range maps.Keys(sc.owned) {
					used[owner] = true
				}
			}
			if f.Member != noun {
				continue
			}
			for _, of := range sc.owned {
				for _, e := range of {
					used[e.id] = true
				}
			}
			for id, score := range sc.global {
				used[id] = used[id] || score != 0
			}
		}
	}
	return used
}
