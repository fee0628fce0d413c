package hot

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// View collects reads and answers them in one round trip. Ask first, Load once, then use the answers. Not safe for
// concurrent use; make one per query.
type View struct {
	store  *Store
	at     float64
	gets   []*get   // of sessions and facts
	scores []*get   // of scores, which others may have as well
	finish []func() // run after the reads came in
	err    error
}

// View begins a view of the store as it is worth at that time.
func (s *Store) View(at time.Time) *View { return &View{store: s, at: seconds(at)} }

// Ranked is the answer of Top: members by value, highest first, ties by name.
type Ranked struct {
	Members []string
	Values  []float64 // decayed to the view's time; stamps: Unix seconds
}

// Values is the answer of Of, aligned with the members asked for.
type Values struct {
	Value []float64 // decayed to the view's time, 0 if absent; stamps: Unix seconds
}

// Facts is the answer of View.Facts. Fields is empty, never nil, when there are none.
type Facts struct{ Fields map[string]string }

// Top asks for the n highest members of an owned set, or of Recency and Committed (owner ""), of which the newest 256
// are kept in order. Other global families have no order: Load fails.
func (v *View) Top(f Family, owner string, n int) *Ranked {
	r := &Ranked{}
	fam := v.store.families.of(f)
	switch {
	case n <= 0:
		return r
	case fam.half == 0:
		g := v.score(&get{op: opAll, key: v.store.keys.top(fam)})
		v.finish = append(v.finish, func() {
			r.take(slices.DeleteFunc(collect(nil, g, 1), func(m member) bool { return v.store.ahead(m.score) }), n)
		})
		return r
	case fam.owner == nounNone:
		v.err = fmt.Errorf("hot: %s is a global family and has no order: ask Of for members", f.Name)
		return r
	}
	epochs := fam.live(v.at)
	gets := make([]*get, len(epochs))
	for i, k := range epochs {
		gets[i] = v.score(&get{op: opAll, key: v.store.keys.owned(fam, k, owner)})
	}
	v.finish = append(v.finish, func() {
		var ms []member
		for i, k := range epochs {
			ms = collect(ms, gets[i], fam.decay(v.at, k))
		}
		r.take(ms, n)
	})
	return r
}

// Of asks for the values of given members of a global family.
func (v *View) Of(f Family, members []string) *Values { return v.OwnedOf(f, "", members) }

// OwnedOf asks for the values of given members of one owner's set.
func (v *View) OwnedOf(f Family, owner string, members []string) *Values {
	r := &Values{Value: make([]float64, len(members))}
	if len(members) == 0 {
		return r
	}
	fam := v.store.families.of(f)
	if fam.half == 0 {
		g := v.score(&get{op: opScores, key: v.store.keys.global(fam, 0), members: members})
		v.finish = append(v.finish, func() {
			for i, at := range g.scores {
				if v.store.ahead(at) {
					g.scores[i] = 0
				}
			}
			r.add(g, 1)
		})
		return r
	}
	for _, k := range fam.live(v.at) {
		key := v.store.keys.global(fam, k)
		if fam.owner != nounNone {
			key = v.store.keys.owned(fam, k, owner)
		}
		g := v.score(&get{op: opScores, key: key, members: members})
		factor := fam.decay(v.at, k)
		v.finish = append(v.finish, func() { r.add(g, factor) })
	}
	return r
}

// Facts asks for a small durable record.
func (v *View) Facts(key string) *Facts {
	f := &Facts{}
	g := v.ask(&get{op: opHash, key: v.store.keys.fact(key)})
	v.finish = append(v.finish, func() { f.Fields = g.hash })
	return f
}

// Load answers everything asked so far, in one round trip. The error wraps that of the store; a view with an error
// has no answers.
func (v *View) Load(ctx context.Context) error {
	if v.err != nil {
		return v.err
	}
	if v.store.shared.far.Load() == nil && len(v.gets) > 0 {
		v.gets, v.scores = append(v.gets, v.scores...), nil // one round trip
	}
	if err := v.store.read(ctx, v.gets); err != nil {
		return fmt.Errorf("read hot store: %w", err)
	}
	if err := v.store.readShared(ctx, v.scores); err != nil {
		return fmt.Errorf("read hot store: %w", err)
	}
	for _, f := range v.finish {
		f()
	}
	v.gets, v.scores, v.finish = nil, nil, nil
	return nil
}

func (v *View) ask(g *get) *get {
	v.gets = append(v.gets, g)
	return g
}

func (v *View) score(g *get) *get {
	g.view = true
	v.scores = append(v.scores, g)
	return g
}

func (r *Values) add(g *get, factor float64) {
	for i, s := range g.scores {
		r.Value[i] += s * factor
	}
}

// collect adds a set's members, decayed, to those of the other epoch. The set itself is used up.
func collect(ms []member, g *get, factor float64) []member {
	if len(ms) == 0 {
		for i := range g.set {
			g.set[i].score *= factor
		}
		return g.set
	}
	at := make(map[string]int, len(ms))
	for i, m := range ms {
		at[m.name] = i
	}
	for _, m := range g.set {
		if i, ok := at[m.name]; ok {
			ms[i].score += m.score * factor
		} else {
			ms = append(ms, member{m.name, m.score * factor})
		}
	}
	return ms
}

// take keeps the n highest with a positive value.
func (r *Ranked) take(ms []member, n int) {
	ms = best(ms, n)
	for len(ms) > 0 && ms[len(ms)-1].score <= 0 {
		ms = ms[:len(ms)-1]
	}
	r.Members, r.Values = make([]string, len(ms)), make([]float64, len(ms))
	for i, m := range ms {
		r.Members[i], r.Values[i] = m.name, m.score
	}
}
