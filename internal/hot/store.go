package hot

import "sync"

// Store holds the scores of one repository. Safe for concurrent use: any number of views beside one writer.
type Store struct {
	clock Clock

	// writing makes Apply, Restore and Snapshot take turns. Its holder may read all below, so a snapshot
	// holds up no question. To change what views read takes mu as well.
	writing sync.Mutex
	mu      sync.RWMutex

	names   [NounTerm + 1]names // by noun
	sets    []map[int64]*scores // by family, then by epoch
	newest  []set               // by family: of stamps the newest, of which at least NewestKept are there
	latest  float64             // latest time of all events, Unix seconds
	trimmed map[string]int64    // family name → epoch of its last tick
	grown   map[ownedKey]bool   // owned sets written since the last tick
}

// ownedKey is an owned set.
type ownedKey struct {
	family uint8
	epoch  int64
	owner  uint32
}

// New makes an empty store. A nil clock believes every time.
func New(clock Clock) *Store {
	s := &Store{clock: clock}
	s.clear()
	return s
}

// clear drops everything.
func (s *Store) clear() {
	s.sets, s.newest = make([]map[int64]*scores, len(Families)), make([]set, len(Families))
	s.latest, s.trimmed, s.grown = Undated, map[string]int64{}, map[ownedKey]bool{}
	for i := range s.sets {
		s.sets[i] = map[int64]*scores{}
	}
	for i := range s.names {
		s.names[i] = names{ids: map[string]uint32{}}
	}
}

// KnowsTerm reports whether something was learned under that term.
func (s *Store) KnowsTerm(term string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.names[NounTerm].find(term) != noID
}

// scores finds or makes the sets of a family and epoch.
func (s *Store) scores(f *Family, epoch int64) *scores {
	sc := s.sets[f.index][epoch]
	if sc == nil {
		sc = &scores{}
		if !f.Global() {
			sc.owned = map[uint32]set{}
		}
		s.sets[f.index][epoch] = sc
	}
	return sc
}

// owned is an owned set; nil if there is none.
func (s *Store) owned(k ownedKey) set {
	if sc := s.sets[k.family][k.epoch]; sc != nil {
		return sc.owned[k.owner]
	}
	return nil
}

// setOwned replaces an owned set. An empty set is deleted.
func (s *Store) setOwned(k ownedKey, to set) {
	sc := s.scores(Families[k.family], k.epoch)
	if len(to) > 0 {
		sc.owned[k.owner] = to
	} else {
		delete(sc.owned, k.owner)
		delete(s.grown, k)
	}
}

// members are a set's members with their names.
func (s *Store) members(noun Noun, of set) []Member {
	ms := make([]Member, len(of))
	for i, e := range of {
		ms[i] = Member{s.names[noun].texts[e.id], e.score}
	}
	return ms
}
