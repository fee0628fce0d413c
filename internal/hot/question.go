package hot

import (
	"slices"
	"time"
)

// Ranked has the members of a set by value, the highest first, equal ones by name.
type Ranked struct {
	Members []string
	// Decayed until the time of the question, or, ByChange, until the file's last change. Stamps are
	// Unix seconds.
	Values []float64
}

// Top returns the n highest members of an owned set, or (with owner "") of a family of time stamps,
// whose newest 256 members are kept in order. Other global families have no order, and nothing is
// returned for them.
func (s *Store) Top(f *Family, owner string, n int, at time.Time) *Ranked {
	r := &Ranked{}
	for _, m := range Best(s.read(f, owner, Seconds(at)), n) {
		r.Members, r.Values = append(r.Members, m.Name), append(r.Values, m.Score)
	}
	return r
}

// read returns all members from which Top chooses the highest.
func (s *Store) read(f *Family, owner string, t float64) []Member {
	s.mu.RLock()
	defer s.mu.RUnlock()
	members := s.newest[f.index]
	if !f.Global() {
		members, _ = s.ownedAt(f, s.names[f.Owner].find(owner), t)
	}
	unread := func(m Member) bool { return f.known(m.Score) == 0 }
	return slices.DeleteFunc(s.members(f.Member, members), unread)
}

// Of returns the values of members in global families, in the order of members. All families must
// have members of the same noun. A family that is nil is not read, and gets no values.
func (s *Store) Of(members []string, at time.Time, families ...*Family) [][]float64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([][]float64, len(families))
	var ids []uint32
	for i, f := range families {
		if f == nil {
			continue
		}
		if ids == nil {
			ids = make([]uint32, len(members))
			for k, m := range members {
				ids[k] = s.names[f.Member].find(m)
			}
		}
		out[i], _ = s.globalAt(f, ids, Seconds(at))
		for k, value := range out[i] {
			out[i][k] = f.known(value)
		}
	}
	return out
}
