package hot_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// model is the store as a list of everything that was said.
type model struct {
	said    map[modelKey][]increment
	stamped map[string]map[string]time.Time
	latest  time.Time
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

type modelKey struct {
	family        *hot.Family
	owner, member string
}

type increment struct {
	t time.Time
	w float64
}

func newModel() *model {
	return &model{said: map[modelKey][]increment{}, stamped: map[string]map[string]time.Time{}}
}

func (m *model) add(f *hot.Family, owner, member string, t time.Time, w float64) {
	k := modelKey{f, owner, member}
	m.said[k] = append(m.said[k], increment{t, w})
}

func (m *model) stamp(f *hot.Family, member string, t time.Time) {
	if m.stamped[f.Name] == nil {
		m.stamped[f.Name] = map[string]time.Time{}
	}
	if t.After(m.stamped[f.Name][member]) {
		m.stamped[f.Name][member] = t
	}
}

func (m *model) rename(from, to string) {
	for _, k := range m.keysOf() {
		f := k.family
		n := k
		if f.Owner == hot.NounFile && k.owner == from {
			n.owner = to
		}
		if f.Member == hot.NounFile && k.member == from {
			n.member = to
		}
		if n == k {
			continue
		}
		if n.owner != n.member || f.Owner != f.Member {
			m.said[n] = append(m.said[n], m.said[k]...)
		}
		delete(m.said, k)
	}
	for _, ms := range m.stamped {
		if t, ok := ms[from]; ok {
			delete(ms, from)
			if t.After(ms[to]) {
				ms[to] = t
			}
		}
	}
}

func (m *model) keysOf() []modelKey {
	keys := make([]modelKey, 0, len(m.said))
	for k := range m.said {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b modelKey) int {
		return cmp.Or(cmp.Compare(a.family.Name, b.family.Name), cmp.Compare(a.owner, b.owner),
			cmp.Compare(a.member, b.member))
	})
	return keys
}

// value adds up what was said in the epochs that a reader adds.
func (m *model) value(f *hot.Family, owner, member string, at time.Time) float64 {
	sum := 0.0
	for _, k := range f.Live(hot.Seconds(at)) {
		sum += m.valueIn(f, k, owner, member, m.until(f, owner, member, at))
	}
	if f.Unread(sum) {
		return 0
	}
	return sum
}

// valueIn adds up what was said in one epoch.
func (m *model) valueIn(f *hot.Family, epoch int64, owner, member string, at time.Time) float64 {
	sum := 0.0
	for _, i := range m.said[modelKey{f, owner, member}] {
		if f.Epoch(hot.Seconds(i.t)) == epoch {
			sum += i.w * math.Exp2(-at.Sub(i.t).Seconds()/f.Half.Seconds())
		}
	}
	return sum
}

// until is the time until which scores of a file are decayed.
func (m *model) until(f *hot.Family, owner, member string, at time.Time) time.Time {
	if !f.Global() {
		member = owner
	}
	if changed, known := m.stamped[hot.Changed.Name][member]; f.ByChange && known && changed.Before(at) {
		return changed
	}
	return at
}

// members are the members of an owner's set in an epoch.
func (m *model) members(f *hot.Family, epoch int64, owner string) (out []string) {
	for k, is := range m.said {
		in := func(i increment) bool { return f.Epoch(hot.Seconds(i.t)) == epoch }
		if k.family == f && k.owner == owner && slices.ContainsFunc(is, in) {
			out = append(out, k.member)
		}
	}
	return out
}

// trim cuts the set of an owner, if it has more than most members in an epoch, to what its sums
// over the epochs keep.
func (m *model) trim(f *hot.Family, epoch int64, owner string, at time.Time, most int) {
	if len(m.members(f, epoch, owner)) <= most {
		return
	}
	epochs := f.Live(hot.Seconds(at))
	if !slices.Contains(epochs, epoch) {
		epochs = []int64{epoch}
	}
	sums := map[string]float64{}
	for _, k := range epochs {
		for _, member := range m.members(f, k, owner) {
			sums[member] += m.valueIn(f, k, owner, member, m.until(f, owner, "", at))
		}
	}
	var best []hot.Member
	for name, sum := range sums {
		best = append(best, hot.Member{Name: name, Score: sum})
	}
	hot.Highest(best)
	for i, x := range best {
		if i < f.Keep && !f.Unread(x.Score) && (i < f.Read || x.Score >= .01) {
			continue
		}
		key := modelKey{f, owner, x.Name}
		m.said[key] = slices.DeleteFunc(m.said[key], func(i increment) bool {
			return slices.Contains(epochs, f.Epoch(hot.Seconds(i.t)))
		})
	}
}

// sweep trims all sets, and drops the global values that read as 0.
func (m *model) sweep(w world, at time.Time) {
	for _, f := range hot.Families {
		for _, owner := range w.names(f.Owner) {
			epochs := map[int64]bool{}
			for k, is := range m.said {
				for _, i := range is {
					if k.family == f && k.owner == owner && !f.Global() {
						epochs[f.Epoch(hot.Seconds(i.t))] = true
					}
				}
			}
			for epoch := range epochs {
				m.trim(f, epoch, owner, at, 0)
			}
		}
	}
	for k := range m.said {
		if f := k.family; f.Global() && m.value(f, "", k.member, at) == 0 {
			m.said[k] = slices.DeleteFunc(m.said[k], func(i increment) bool {
				return slices.Contains(f.Live(hot.Seconds(at)), f.Epoch(hot.Seconds(i.t)))
			})
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// world is the small set of names the random tests use, hostile ones among them.
type world struct {
	paths, tags, terms []string
}

func newWorld() world {
	w := world{tags: []string{"auth", "x:y", "go"}, terms: []string{"auth", "login", "a:b", "%"}}
	for i := range 12 {
		w.paths = append(w.paths, fmt.Sprintf("dir%d/file%d.go", i%3, i))
	}
	long := make([]byte, 4096)
	for i := range long {
		long[i] = 'x'
	}
	w.paths = append(w.paths, "new\nline", "\xff\xfe", "auth", "7d:1:a", string(long), " ")
	return w
}

func pick(r *rand.Rand, s []string) string { return s[r.IntN(len(s))] }

func (w world) names(n hot.Noun) []string {
	return map[hot.Noun][]string{hot.NounNone: {""}, hot.NounFile: w.paths, hot.NounTag: w.tags, hot.NounTerm: w.terms}[n]
}

// TestAgainstModel writes at random and compares every value with the plain model.
func TestAgainstModel(t *testing.T) {
	swept := 0
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { swept += againstModel(t, rand.New(rand.NewPCG(seed, 1))) })
	}
	if swept == 0 {
		t.Error("no sweep dropped anything, so none was tested")
	}
}

// againstModel returns how many bytes of snapshots went in sweeps.
func againstModel(t *testing.T, r *rand.Rand) (swept int) {
	shorten(t, 4)
	s, m, w := hot.New(), newModel(), newWorld()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for seq := int64(1); seq <= 25; seq++ {
		now = now.Add(time.Duration(r.IntN(6*3600)) * time.Second)
		for range 1 + r.IntN(60) {
			randomWrite(r, w, s, m, now)
		}
		if r.IntN(3) == 0 {
			before := len(snapshot(t, s))
			s.Sweep(now)
			m.sweep(w, now)
			swept += before - len(snapshot(t, s))
		}
		compare(t, s, m, w, now)
		if seq%9 == 0 {
			s = again(t, s)
			compare(t, s, m, w, now)
		}
	}
	return swept
}

func randomWrite(r *rand.Rand, w world, b *hot.Store, m *model, now time.Time) {
	at := now.Add(-time.Duration(r.IntN(5*3600)) * time.Second)
	if r.IntN(20) == 0 { // late
		at = at.Add(-time.Duration(r.IntN(40*3600)) * time.Second)
	}
	if r.IntN(25) == 0 {
		from, to := pick(r, w.paths), pick(r, w.paths)
		b.Rename(event.Path(from), event.Path(to))
		if from != to {
			m.rename(from, to)
		}
		return
	}
	f := hot.Families[r.IntN(len(hot.Families))]
	owner, name := pick(r, w.names(f.Owner)), pick(r, w.names(f.Member))
	if owner == name && f.Owner == f.Member {
		return
	}
	if f.Half == 0 {
		b.Stamp(f, name, at)
		m.stamp(f, name, at)
		m.latest = latest(m.latest, at)
		return
	}
	weight := r.Float64() * 3
	if r.IntN(6) == 0 {
		weight = -weight / 4
	}
	b.Add(f, owner, name, at, weight)
	if m.latest = latest(m.latest, at); f.Past(f.Epoch(hot.Seconds(at)), hot.Seconds(m.latest)) {
		return
	}
	m.add(f, owner, name, at, weight)
	if !f.Global() {
		m.trim(f, f.Epoch(hot.Seconds(at)), owner, m.latest, 2*f.Keep)
	}
}

// again restores a store from its snapshot.
func again(t *testing.T, s *hot.Store) *hot.Store {
	t.Helper()
	n := hot.New()
	fault.Check(t, n.Restore(snapshot(t, s)))
	return n
}

func compare(t *testing.T, s *hot.Store, m *model, w world, at time.Time) {
	t.Helper()
	for _, f := range hot.Families {
		names := w.names(f.Member)
		for _, owner := range w.names(f.Owner) {
			got := valuesOf(s, f, owner, names, at)
			for i, n := range names {
				want := 0.0
				if f.Half != 0 {
					want = m.value(f, owner, n, at)
				} else if st := m.stamped[f.Name][n]; !st.IsZero() {
					want = hot.Seconds(st)
				}
				if !near(got[i], want) {
					t.Fatalf("%s of %.20q, member %d: got %v, want %v", f.Name, owner, i, got[i], want)
				}
			}
		}
	}
	top := s.Top(hot.Comod, w.paths[0], 3, at)
	for _, f := range hot.Families {
		for _, owner := range w.names(f.Owner) {
			m.compareAll(t, s, f, owner, w.names(f.Member), at)
		}
		m.compareSums(t, s, f, w, at)
	}
	for i, n := range top.Members {
		if want := m.value(hot.Comod, w.paths[0], n, at); !near(top.Values[i], want) {
			t.Fatalf("top %d: %v, want %v", i, top.Values[i], want)
		}
		if i > 0 && top.Values[i] > top.Values[i-1] && !near(top.Values[i], top.Values[i-1]) {
			t.Fatalf("top is not in order: %v", top.Values)
		}
	}
}

// now is what a member is worth at a time, decayed to it in every family; of stamps the time.
func (m *model) now(f *hot.Family, owner, member string, at time.Time) float64 {
	if f.Half != 0 {
		return m.value(f, owner, member, at) * math.Exp2(-at.Sub(m.until(f, owner, member, at)).Seconds()/f.Half.Seconds())
	}
	if st := m.stamped[f.Name][member]; !st.IsZero() {
		return hot.Seconds(st)
	}
	return 0
}

// compareAll compares a whole set.
func (m *model) compareAll(t *testing.T, s *hot.Store, f *hot.Family, owner string, names []string, at time.Time) {
	t.Helper()
	got := map[string]float64{}
	for _, member := range s.All(f, owner, at) {
		got[member.Name] = member.Score
	}
	for _, n := range names {
		if want := m.now(f, owner, n, at); !near(got[n], want) || (got[n] != 0) != (want != 0) {
			t.Fatalf("all of %s of %.20q: %.20q is %v, want %v", f.Name, owner, n, got[n], want)
		}
		delete(got, n)
	}
	if len(got) > 0 {
		t.Fatalf("all of %s of %.20q has %d members too many", f.Name, owner, len(got))
	}
}

// compareSums compares the owners of a family with the sums of their sets.
func (m *model) compareSums(t *testing.T, s *hot.Store, f *hot.Family, w world, at time.Time) {
	t.Helper()
	if f.Global() {
		return
	}
	got := map[string]float64{}
	for _, owner := range s.Sums(f, at) {
		got[owner.Name] = owner.Score
	}
	for _, owner := range w.names(f.Owner) {
		want := 0.0
		for _, n := range w.names(f.Member) {
			want += m.now(f, owner, n, at)
		}
		if !near(got[owner], want) {
			t.Fatalf("sum of %s of %.20q is %v, want %v", f.Name, owner, got[owner], want)
		}
	}
}

// TestFamilies: the half-life, the size and the nouns of each family. Other half-lives make other
// scores: after a change of one, the weights of package rank are fitted again.
func TestFamilies(t *testing.T) {
	text := ""
	for _, f := range hot.Families {
		text += fmt.Sprintf("%s %dd keeps %d reads %d, by change %v, of %d has %d, global %v\n", f.Name, f.Half/(24*time.Hour),
			f.Keep, f.Read, f.ByChange, f.Owner, f.Member, f.Global())
	}
	fault.Golden(t, "testdata/families.golden", text)
	// An epoch has 32 half-lives. Of the one before a reader adds what has not decayed by 20.
	f := &hot.Family{Half: time.Second}
	for at, want := range map[float64]string{20: "[0 -1]", 31.9: "[0]", 32: "[1 0]", 52: "[1 0]", 52.1: "[1]",
		64: "[2 1]"} {
		fault.Same(t, fmt.Sprint("epochs at ", at), fmt.Sprint(f.Live(at)), want)
	}
	for at, want := range map[float64]bool{63.9: false, 64: true} {
		fault.Same(t, fmt.Sprint("epoch 0 is past at ", at), f.Past(0, at), want)
	}
	fault.Same(t, "a 1 of epoch 1 an epoch and a half-life later", f.Worth(65, 1)*math.Exp2(33), 1.0)
	for f, want := range map[*hot.Family]float64{hot.Frequency: 1e-6, hot.Coaccess: 1e-6, hot.Comod: .01} {
		fault.Same(t, f.Name+", the least value that is read", fmt.Sprint(f.Unread(want*.99), f.Unread(want*1.01)), "true false")
	}
	stamp := &hot.Family{}
	fault.Same(t, "a stamp", fmt.Sprint(stamp.Live(1e9), stamp.Epoch(1e9), stamp.Worth(1e9, 0), stamp.Past(-5,
		1e9)), "[0] 0 1 false")
}
