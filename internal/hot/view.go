package hot

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// View collects questions and answers them together, as of one time. First ask, then call Load
// once, then use the answers. A View is for one goroutine and one query.
type View struct {
	store *Store
	at    float64  // Unix seconds
	asked []func() // read the answers under the store's lock
	then  []func() // finish the answers without the lock
	last  lookup
	err   error
}

// View returns a view of the store as of a time.
func (s *Store) View(at time.Time) *View { return &View{store: s, at: Seconds(at)} }

// Ranked is the answer of Top: members by value, highest first, equal ones by name.
type Ranked struct {
	Members []string
	// Decayed until the view's time, or, ByChange, until the file's last change. Stamps are Unix
	// seconds.
	Values []float64
}

// Values is the answer of Of, in the order of the members that were asked for.
type Values struct {
	Value []float64 // the values as in Ranked; 0 for a member that the set lacks
}

// Top asks for the n highest members of an owned set, or (with owner "") of Recency and Committed,
// whose newest 256 members are kept in order. Other global families have no order; Load then fails.
func (v *View) Top(f *Family, owner string, n int) *Ranked {
	r := &Ranked{}
	switch {
	case n <= 0:
		return r
	case f.Global() && f.Half != 0:
		v.err = fmt.Errorf("hot: %s is a global family and has no order: ask Of for members", f.Name)
		return r
	}
	var all []Member
	v.asked = append(v.asked, func() {
		members := v.store.newest[f.index]
		if !f.Global() {
			members, _ = v.store.ownedAt(f, v.store.names[f.Owner].find(owner), v.at)
		}
		all = v.store.members(f.Member, members)
	})
	v.then = append(v.then, func() {
		unknown := func(m Member) bool { return f.known(m.Score) == 0 }
		for _, m := range Best(slices.DeleteFunc(all, unknown), n) {
			r.Members, r.Values = append(r.Members, m.Name), append(r.Values, m.Score)
		}
	})
	return r
}

// Of asks for the values of given members in a global family.
func (v *View) Of(f *Family, members []string) *Values { return v.OwnedOf(f, "", members) }

// OwnedOf asks for the values of given members in one owner's set.
func (v *View) OwnedOf(f *Family, owner string, members []string) *Values {
	r := &Values{}
	if len(members) == 0 {
		return r
	}
	v.asked = append(v.asked, func() {
		ids := v.last.find(members, f.Member, &v.store.names[f.Member])
		if f.Global() {
			r.Value, _ = v.store.globalAt(f, ids, v.at)
		} else {
			sums, _ := v.store.ownedAt(f, v.store.names[f.Owner].find(owner), v.at)
			for _, id := range ids {
				r.Value = append(r.Value, sums.score(id))
			}
		}
		for i := range r.Value {
			r.Value[i] = f.known(r.Value[i])
		}
	})
	return r
}

// Load answers everything asked so far. A view with an error has no answers.
func (v *View) Load(ctx context.Context) error {
	if v.err != nil {
		return v.err
	}
	v.store.read(v.asked)
	for _, f := range v.then {
		f()
	}
	v.asked, v.then, v.last = nil, nil, lookup{}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read hot store: %w", err)
	}
	return nil
}

// read runs functions that read while nobody writes.
func (s *Store) read(asked []func()) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, ask := range asked {
		ask()
	}
}
