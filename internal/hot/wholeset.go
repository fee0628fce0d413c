package hot

import (
	"slices"
	"time"
)

// All returns a whole set as questions at a time read it, in no order. For a global family owner is
// "". All values are decayed until that time; stamps are Unix seconds. Values that read as 0 are
// left out.
func (s *Store) All(f *Family, owner string, at time.Time) []Member {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := Seconds(at)
	if !f.Global() {
		return s.members(f.Member, s.ownedNow(f, s.names[f.Owner].find(owner), t))
	}
	out := []Member{}
	ids := s.names[f.Member].all()
	sums, until := s.globalAt(f, ids, t)
	for i, id := range ids {
		then := t
		if f.ByChange {
			then = until[i]
		}
		if value := f.now(sums[i], then, t); value != 0 {
			out = append(out, Member{s.names[f.Member].texts[id], value})
		}
	}
	return out
}

// Sums returns the owners of an owned family whose sets are not empty at a time, each with the sum
// of the values that All returns.
func (s *Store) Sums(f *Family, at time.Time) []Member {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out, t := []Member{}, Seconds(at)
	for _, id := range s.names[f.Owner].all() {
		sum := 0.0
		for _, e := range s.ownedNow(f, id, t) {
			sum += e.score
		}
		if sum > 0 {
			out = append(out, Member{s.names[f.Owner].texts[id], sum})
		}
	}
	return out
}

// ownedNow returns an owner's set with the values at a time.
func (s *Store) ownedNow(f *Family, owner uint32, t float64) set {
	sums, until := s.ownedAt(f, owner, t)
	for i := range sums {
		sums[i].score = f.now(sums[i].score, until, t)
	}
	return slices.DeleteFunc(sums, func(e entry) bool { return e.score == 0 })
}

// now returns, for a value that is decayed until an earlier time, the value at the time of the
// question.
func (f *Family) now(value, until float64, t float64) float64 {
	if value = f.known(value); f.ByChange {
		value *= f.fade(until, t)
	}
	return value
}
