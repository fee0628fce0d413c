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
	at     float64
	reads  reads
	finish []func() // turn what was read into answers
	err    error
}

// reads are the questions of a View, and what the store has for them.
type reads struct {
	sets     []*setRead
	sessions []sessionRead
	facts    []factRead
}

// setRead reads members of one set as they are stored, or all of it.
type setRead struct {
	family  *Family
	epoch   int64
	owner   string   // "" for a global family
	newest  bool     // of stamps the newest, which are kept in order
	members []string // nil: all

	scores []float64 // of members, 0 if absent
	all    []Member  // in no order
}

type sessionRead struct {
	id   string
	at   float64
	view *SessionView
}

type factRead struct {
	key   string
	facts *Facts
}

// View begins a view of the store as it is worth at that time.
func (s *Store) View(at time.Time) *View { return &View{store: s, at: Seconds(at)} }

// Ranked is the answer of Top: members by value, highest first, ties by name.
type Ranked struct {
	Members []string
	Values  []float64 // decayed to the view's time, or of a file that rests to its last change; stamps: Unix seconds
	Rest    float64   // what 1 of Values is worth at the view's time, in (0,1]: less than 1 for a file that rests
}

// Values is the answer of Of, aligned with the members asked for.
type Values struct {
	Value []float64 // as those of Ranked, 0 if absent
	Rest  []float64 // as that of Ranked; nil for families that do not rest
}

// Facts is the answer of View.Facts. Fields is empty, never nil, when there are none.
type Facts struct{ Fields map[string]string }

// Top asks for the n highest members of an owned set, or of Recency and Committed (owner ""), of which the newest 256
// are kept in order. Other global families have no order: Load fails.
func (v *View) Top(f Family, owner string, n int) *Ranked {
	r := &Ranked{}
	fam := v.store.table.Of(f)
	switch {
	case n <= 0:
		return r
	case fam.Half == 0:
		read := v.read(&setRead{family: fam, newest: true})
		v.finish = append(v.finish, func() {
			r.take(fam, slices.DeleteFunc(read.all, func(m Member) bool { return v.store.clock.Ahead(m.Score) }), n)
		})
		return r
	case fam.Global():
		v.err = fmt.Errorf("hot: %s is a global family and has no order: ask Of for members", f.Name)
		return r
	}
	epochs := fam.Live(v.at)
	reads := make([]*setRead, len(epochs))
	for i, k := range epochs {
		reads[i] = v.read(&setRead{family: fam, epoch: k, owner: owner})
	}
	rest := v.rests(fam, []string{owner})
	v.finish = append(v.finish, func() {
		var ms []Member
		at := rest(0)
		for i, k := range epochs {
			ms = collect(ms, reads[i].all, fam.Worth(at, k))
		}
		r.take(fam, ms, n)
		r.Rest = fam.fade(at, v.at)
	})
	return r
}

// rests returns the time to which scores of the i-th file are decayed: that of its last change in a family that rests, if that is
// known and before the view's time, which it is otherwise.
func (v *View) rests(fam *Family, files []string) func(i int) float64 {
	if !fam.Rests {
		return func(int) float64 { return v.at }
	}
	read := v.read(&setRead{family: v.store.table.Of(Changed), members: files})
	return func(i int) float64 { return Rested(v.at, read.scores[i], v.store.clock) }
}

// Rested is the time of a file's last change, if it is known, before at, and of a clock that was right; otherwise at.
func Rested(at, changed float64, c Clock) float64 {
	if changed == 0 || c.Ahead(changed) {
		return at
	}
	return min(at, changed)
}

// Of asks for the values of given members of a global family.
func (v *View) Of(f Family, members []string) *Values { return v.OwnedOf(f, "", members) }

// OwnedOf asks for the values of given members of one owner's set.
func (v *View) OwnedOf(f Family, owner string, members []string) *Values {
	r := &Values{Value: make([]float64, len(members))}
	if len(members) == 0 {
		return r
	}
	fam := v.store.table.Of(f)
	files := members
	if !fam.Global() {
		files = []string{owner}
	}
	rest := v.rests(fam, files)
	of := func(i int) float64 { return rest(min(i, len(files)-1)) } // of an owned set all rest with the owner
	for _, k := range fam.Live(v.at) {
		read := v.read(&setRead{family: fam, epoch: k, owner: owner, members: members})
		v.finish = append(v.finish, func() {
			for i, score := range read.scores {
				if fam.Half > 0 || !v.store.clock.Ahead(score) {
					r.Value[i] += score * fam.Worth(of(i), k)
				}
			}
		})
	}
	v.finish = append(v.finish, func() {
		for i := range r.Value {
			if fam.Half > 0 && fam.Unread(r.Value[i]) {
				r.Value[i] = 0
			}
			if fam.Rests {
				r.Rest = append(r.Rest, fam.fade(of(i), v.at))
			}
		}
	})
	return r
}

// Session asks for everything about a session.
func (v *View) Session(id string) *SessionView {
	s := &SessionView{Fields: map[string]string{}}
	v.reads.sessions = append(v.reads.sessions, sessionRead{id, v.at, s})
	return s
}

// Facts asks for a small durable record.
func (v *View) Facts(key string) *Facts {
	f := &Facts{Fields: map[string]string{}}
	v.reads.facts = append(v.reads.facts, factRead{key, f})
	return f
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
	if err := v.store.read(ctx, &v.reads); err != nil {
		return fmt.Errorf("read hot store: %w", err)
	}
	for _, f := range v.finish {
		f()
	}
	v.reads, v.finish = reads{}, nil
	return nil
}

// collect adds a set's members, decayed, to those of the other epoch. It uses the set up.
func collect(ms, set []Member, factor float64) []Member {
	for i := range set {
		set[i].Score *= factor
	}
	if len(ms) == 0 || len(set) == 0 {
		return append(ms, set...)
	}
	at := make(map[string]int, len(ms))
	for i, m := range ms {
		at[m.Name] = i
	}
	for _, m := range set {
		if i, ok := at[m.Name]; ok {
			ms[i].Score += m.Score
		} else {
			ms = append(ms, m)
		}
	}
	return ms
}

// take keeps the n highest that do not read as 0.
func (r *Ranked) take(f *Family, ms []Member, n int) {
	ms = Best(ms, n)
	for len(ms) > 0 && f.Unread(ms[len(ms)-1].Score) {
		ms = ms[:len(ms)-1]
	}
	r.Members, r.Values = make([]string, len(ms)), make([]float64, len(ms))
	for i, m := range ms {
		r.Members[i], r.Values[i] = m.Name, m.Score
	}
}
