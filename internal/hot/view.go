package hot

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// View collects questions and answers them at once, as of one moment. Ask first, Load once, then use the answers. Not
// safe for concurrent use; make one per query.
type View struct {
	store  *Store
	asOf   asOf
	reads  reads
	finish []func() // turn what was read into answers
	err    error
}

// reads are the questions of a View, and what the store has for them.
type reads struct {
	sets []*setRead
}

// setRead reads members of one set, decayed, or all of it.
type setRead struct {
	family  *Family
	owner   string   // "" for a global family
	newest  bool     // of stamps the newest, which are kept in order
	members []string // nil: all

	values []float64 // of members, 0 if absent
	all    []Member  // in no order
	until  []float64 // when values are decayed until: one for an owned set, one per member of a global family ByChange
}

// View begins a view of the store as it is worth at that time.
func (s *Store) View(at time.Time) *View { return &View{store: s, asOf: asOf{Seconds(at), s.clock}} }

// Ranked is the answer of Top: members by value, highest first, ties by name.
type Ranked struct {
	Members []string
	Values  []float64 // decayed until the view's time, ByChange until the file's last change; stamps: Unix seconds
	Left    float64   // what 1 of Values is worth at the view's time, in (0,1]: 1 but for a family ByChange
}

// Values is the answer of Of, aligned with the members asked for.
type Values struct {
	Value []float64 // as those of Ranked, 0 if absent
	Left  []float64 // as that of Ranked; nil but for a family ByChange
}

// Top asks for the n highest members of an owned set, or of Recency and Committed (owner ""), of which the newest 256
// are kept in order. Other global families have no order: Load fails.
func (v *View) Top(f *Family, owner string, n int) *Ranked {
	r := &Ranked{}
	stamps := f.Half == 0
	switch {
	case n <= 0:
		return r
	case f.Global() && !stamps:
		v.err = fmt.Errorf("hot: %s is a global family and has no order: ask Of for members", f.Name)
		return r
	}
	read := v.read(&setRead{family: f, owner: owner, newest: stamps})
	v.finish = append(v.finish, func() {
		unknown := func(m Member) bool { return f.known(m.Score, v.asOf.clock) == 0 }
		ms := Best(slices.DeleteFunc(read.all, unknown), n)
		r.Members, r.Values = make([]string, len(ms)), make([]float64, len(ms))
		for i, m := range ms {
			r.Members[i], r.Values[i] = m.Name, m.Score
		}
		if !stamps {
			r.Left = f.fade(read.until[0], v.asOf.at)
		}
	})
	return r
}

// Of asks for the values of given members of a global family.
func (v *View) Of(f *Family, members []string) *Values { return v.OwnedOf(f, "", members) }

// OwnedOf asks for the values of given members of one owner's set.
func (v *View) OwnedOf(f *Family, owner string, members []string) *Values {
	r := &Values{}
	if len(members) == 0 {
		return r
	}
	read := v.read(&setRead{family: f, owner: owner, members: members})
	v.finish = append(v.finish, func() {
		r.Value = read.values
		for i := range r.Value {
			r.Value[i] = f.known(r.Value[i], v.asOf.clock)
			if f.ByChange { // in an owned set the owner's last change counts
				r.Left = append(r.Left, f.fade(read.until[min(i, len(read.until)-1)], v.asOf.at))
			}
		}
	})
	return r
}

func (v *View) read(r *setRead) *setRead {
	v.reads.sets = append(v.reads.sets, r)
	return r
}

// Load answers everything asked so far. A view with an error has no answers.
func (v *View) Load(ctx context.Context) error {
	if v.err != nil {
		return v.err
	}
	if err := v.store.read(ctx, &v.reads, v.asOf); err != nil {
		return fmt.Errorf("read hot store: %w", err)
	}
	for _, f := range v.finish {
		f()
	}
	v.reads, v.finish = reads{}, nil
	return nil
}
