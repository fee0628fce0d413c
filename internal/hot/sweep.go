package hot

import "math"

// sweep drops members of owned sets without new writes as a tick drops those of the others, and names that nothing
// refers to.
func (s *Store) sweep(at float64) {
	s.changeAll(s.planSweep(at))
	s.releaseNames()
}

func (s *Store) planSweep(at float64) (out []change) {
	for i := range Families {
		for k, sc := range s.sets[i] {
			for owner := range sc.owned {
				out = s.planExcess(out, ownedKey{uint8(i), k, owner}, at, math.MaxInt)
			}
		}
	}
	return out
}

// releaseNames drops the names that nothing refers to.
func (s *Store) releaseNames() {
	for noun := NounFile; noun <= NounTerm; noun++ {
		used := s.used(noun)
		s.mu.Lock()
		for id, text := range s.names[noun].texts {
			if text != "" && !used[id] {
				s.names[noun].release(uint32(id))
			}
		}
		s.mu.Unlock()
	}
}

// used marks the ids of the names that a set refers to.
func (s *Store) used(noun Noun) []bool {
	used := make([]bool, len(s.names[noun].texts))
	for i, f := range Families {
		for _, sc := range s.sets[i] {
			for owner, st := range sc.owned {
				if f.Owner == noun {
					used[owner] = true
				}
				for _, e := range st {
					if f.Member != noun {
						break
					}
					used[e.id] = true
				}
			}
			for id, score := range sc.global {
				if score != 0 && f.Member == noun {
					used[id] = true
				}
			}
		}
		for _, e := range s.newest[i] {
			if f.Member == noun {
				used[e.id] = true
			}
		}
	}
	return used
}
