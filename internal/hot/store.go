package hot

import (
	"math"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Store has the scores of one repository. One goroutine may write while any number of others read.
type Store struct {
	mu     sync.RWMutex        // guards the fields below
	names  [NounTerm + 1]names // the names of each noun
	sets   []map[int64]*scores // the sets of each family and epoch
	newest []set               // for each family of time stamps, the newest stamps, at least NewestKept of them
}

// New returns an empty store.
func New() *Store {
	s := &Store{}
	s.clear()
	return s
}

// Seconds returns a time in the form used in a store: Unix seconds with milliseconds as a fraction.
func Seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// clear drops everything.
func (s *Store) clear() {
	s.sets, s.newest = make([]map[int64]*scores, len(Families)), make([]set, len(Families))
	for i := range s.sets {
		s.sets[i] = map[int64]*scores{}
	}
	for i := range s.names {
		s.names[i] = names{ids: map[string]uint32{}}
	}
}

// maxName is the longest owner or member kept, in bytes.
const maxName = event.MaxPath

// Add adds w at time t to member's score: w·2^((t-L_k)/h) in the set of epoch k = ⌊t/32h⌋. owner is
// "" for global families; w may be negative. It ignores an increment that is 0, NaN, infinite or
// without a name, because one NaN would spoil a set for good. For a family of stamps, Add is Stamp.
func (s *Store) Add(f *Family, owner, member string, t time.Time, w float64) {
	if f.Half == 0 {
		s.Stamp(f, member, t)
		return
	}
	if member == "" || len(member) > maxName || len(owner) > maxName || (owner == "") != f.Global() {
		return
	}
	at := Seconds(t)
	k := f.Epoch(at)
	w *= f.growth(at, k)
	if w == 0 || math.IsNaN(w) || math.IsInf(w, 0) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id, sc := s.names[f.Member].id(member), s.scores(f, k)
	if f.Global() {
		*sc.member(id) += w
		return
	}
	of := s.names[f.Owner].id(owner)
	grown := sc.owned[of].add(id, w)
	if sc.owned[of] = grown; len(grown) > 2*f.Keep {
		s.trim(f, k, of, at)
	}
}

// Stamp records the newest time of a member (Recency, Committed, Changed).
func (s *Store) Stamp(f *Family, member string, t time.Time) {
	if f.Half != 0 || member == "" || len(member) > maxName || t.IsZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stamp(f, s.names[f.Member].id(member), Seconds(t))
}

func (s *Store) stamp(f *Family, id uint32, at float64) {
	was := s.scores(f, 0).member(id)
	if *was != 0 && at <= *was { // 0 means no time
		return
	}
	*was = at
	newest := s.newest[f.index].put(id, at)
	if s.newest[f.index] = newest; len(newest) > 2*NewestKept {
		s.trimNewest(f)
	}
}

// Rename moves all scores, stamps and edges of a file to its new name, in both directions of an
// edge. If the new name already has some they are added, which takes some 5 ms for 100,000 files;
// otherwise it takes microseconds.
func (s *Store) Rename(from, to event.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := &s.names[NounFile]
	old, ok := files.ids[string(from)]
	if !ok || from == to || to == "" || len(to) > maxName {
		return
	}
	now, known := files.ids[string(to)]
	if !known {
		files.rename(old, string(to))
		return
	}
	for i, f := range Families {
		for _, sc := range s.sets[i] {
			s.merge(f, sc, old, now)
		}
	}
	files.release(old)
}

// merge adds the scores of one file in the sets of one family and epoch to those of another file.
func (s *Store) merge(f *Family, sc *scores, old, now uint32) {
	if f.Global() {
		score := sc.score(old)
		if f.Member != NounFile || score == 0 {
			return
		}
		sc.global[old] = 0
		if f.Half == 0 {
			s.newest[f.index] = s.newest[f.index].remove(old)
			s.stamp(f, now, score)
		} else {
			*sc.member(now) += score
		}
		return
	}
	if f.Owner == NounFile {
		for _, e := range sc.owned[old] {
			sc.owned[now] = sc.owned[now].add(e.id, e.score)
		}
		delete(sc.owned, old)
	}
	if f.Member != NounFile {
		return
	}
	for owner, of := range sc.owned {
		if i, ok := of.find(old); ok {
			of = of.add(now, of[i].score).remove(old)
		}
		if f.Owner == NounFile && owner == now {
			of = of.remove(now) // both ends of the edge have become one file
		}
		sc.put(owner, of)
	}
}

// KnowsTerm reports whether something was learned under a term.
func (s *Store) KnowsTerm(term string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.names[NounTerm].find(term) != noID
}

// scores returns the sets of a family and epoch, and creates them if they are missing.
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

// members returns the members of a set with their names.
func (s *Store) members(noun Noun, of set) []Member {
	ms := make([]Member, len(of))
	for i, e := range of {
		ms[i] = Member{s.names[noun].texts[e.id], e.score}
	}
	return ms
}
