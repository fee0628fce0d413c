package hot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/aoa-dev/aoa/internal/event"
)

// backends opens every kind of store: embedded, the same server behind a URL, and a real one if AOA_TEST_REDIS names
// it. The suite runs over all of them.
func backends(t *testing.T, fn func(t *testing.T, open func(o Options) *Store)) {
	opener := func(t *testing.T, url string) func(Options) *Store {
		return func(o Options) *Store {
			t.Helper()
			o.URL = url
			if o.Repo == "" {
				o.Repo = fmt.Sprintf("test-%d-%d", os.Getpid(), rand.Int64())
			}
			s, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if url != "" {
					wipe(t, s)
				}
				s.Close()
			})
			return s
		}
	}
	t.Run("embedded", func(t *testing.T) { fn(t, opener(t, "")) })
	t.Run("url", func(t *testing.T) {
		m := miniredis.RunT(t)
		fn(t, opener(t, "redis://"+m.Addr()))
	})
	if url := os.Getenv("AOA_TEST_REDIS"); url != "" {
		t.Run("server", func(t *testing.T) { fn(t, opener(t, url)) })
	}
}

func wipe(t *testing.T, s *Store) {
	ctx := context.WithoutCancel(t.Context())
	keys, err := s.scan(ctx, s.keys.prefix)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		s.client.Del(ctx, s.keys.prefix+k)
	}
}

// model is the store as a list of everything that was said.
type model struct {
	families families
	said     map[modelKey][]increment
	stamped  map[string]map[string]time.Time
}

type modelKey struct{ family, owner, member string }

type increment struct {
	t time.Time
	w float64
}

func newModel(fs families) *model {
	return &model{fs, map[modelKey][]increment{}, map[string]map[string]time.Time{}}
}

func (m *model) add(f Family, owner, member string, t time.Time, w float64) {
	k := modelKey{f.Name, owner, member}
	m.said[k] = append(m.said[k], increment{t, w})
}

func (m *model) stamp(f Family, member string, t time.Time) {
	if m.stamped[f.Name] == nil {
		m.stamped[f.Name] = map[string]time.Time{}
	}
	if t.After(m.stamped[f.Name][member]) {
		m.stamped[f.Name][member] = t
	}
}

func (m *model) rename(from, to string) {
	for _, k := range m.keysOf() {
		f := m.families.of(Family{Name: k.family})
		n := k
		if f.owner == nounPath && k.owner == from {
			n.owner = to
		}
		if f.member == nounPath && k.member == from {
			n.member = to
		}
		if n == k {
			continue
		}
		if n.owner != n.member || f.owner != f.member {
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
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.owner, b.owner), cmp.Compare(a.member, b.member))
	})
	return keys
}

// value adds up what was said in the epochs that a reader adds.
func (m *model) value(f *family, owner, member string, at time.Time) float64 {
	sum := 0.0
	for _, i := range m.said[modelKey{f.Name, owner, member}] {
		if slices.Contains(f.live(seconds(at)), f.epoch(seconds(i.t))) {
			sum += i.w * math.Exp2(-at.Sub(i.t).Seconds()/f.half)
		}
	}
	return sum
}

// trim applies the tick to owned sets written since the last one.
func (m *model) trim(at time.Time, written map[ownedKey]bool) {
	for key := range written {
		f := m.families[key.family]
		var ms []member
		inEpoch := func(i increment) bool { return f.epoch(seconds(i.t)) == key.epoch }
		for k, is := range m.said {
			if k.family != f.Name || k.owner != key.owner || !slices.ContainsFunc(is, inEpoch) {
				continue
			}
			v := 0.0
			for _, i := range is {
				if inEpoch(i) {
					v += i.w * math.Exp2(-at.Sub(i.t).Seconds()/f.half)
				}
			}
			ms = append(ms, member{k.member, v})
		}
		for _, out := range excess(ms, f.keep, 1) {
			k := modelKey{f.Name, key.owner, out.name}
			m.said[k] = slices.DeleteFunc(m.said[k], inEpoch)
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

func (w world) names(n noun) []string {
	return map[noun][]string{nounNone: {""}, nounPath: w.paths, nounTag: w.tags, nounTerm: w.terms}[n]
}

// TestAgainstModel applies random batches and compares every value with the plain model.
func TestAgainstModel(t *testing.T) {
	backends(t, func(t *testing.T, open func(Options) *Store) {
		for seed := range uint64(6) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) { againstModel(t, open, rand.New(rand.NewPCG(seed, 1))) })
		}
	})
}

func againstModel(t *testing.T, open func(Options) *Store, r *rand.Rand) {
	half := map[string]time.Duration{}
	keep := map[string]int{}
	for _, f := range Families {
		half[f.Name], keep[f.Name] = time.Hour, 4 // an epoch is 32 hours: a few are crossed
	}
	s := open(Options{Half: half, Keep: keep})
	m, w := newModel(s.families), newWorld()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	written := map[ownedKey]bool{}
	for seq := int64(1); seq <= 25; seq++ {
		now = now.Add(time.Duration(r.IntN(6*3600)) * time.Second)
		b := s.Batch()
		for range 1 + r.IntN(60) {
			randomWrite(r, w, b, m, now, written)
		}
		tick := r.IntN(4) == 0
		if tick {
			b.Trim(now)
		}
		if err := s.Apply(t.Context(), b, seq); err != nil {
			t.Fatal(err)
		}
		if tick {
			m.trim(now, written)
			clear(written)
		}
		compare(t, s, m, w, now)
		if seq%9 == 0 {
			s = again(t, s, open, Options{Half: half, Keep: keep})
			compare(t, s, m, w, now)
		}
	}
}

func randomWrite(r *rand.Rand, w world, b *Batch, m *model, now time.Time, written map[ownedKey]bool) {
	at := now.Add(-time.Duration(r.IntN(5*3600)) * time.Second)
	if r.IntN(20) == 0 { // late
		at = at.Add(-time.Duration(r.IntN(40*3600)) * time.Second)
	}
	if r.IntN(25) == 0 {
		from, to := pick(r, w.paths), pick(r, w.paths)
		b.Rename(event.Path(from), event.Path(to))
		if from != to {
			m.markRenamed(written, from, to)
			m.rename(from, to)
		}
		return
	}
	f := b.families[r.IntN(len(b.families))]
	owner, name := pick(r, w.names(f.owner)), pick(r, w.names(f.member))
	if owner == name && f.owner == f.member {
		return
	}
	if f.half == 0 {
		b.Stamp(f.Family, name, at)
		m.stamp(f.Family, name, at)
		return
	}
	weight := r.Float64() * 3
	if r.IntN(6) == 0 {
		weight = -weight / 4
	}
	b.Add(f.Family, owner, name, at, weight)
	m.add(f.Family, owner, name, at, weight)
	if f.owner != nounNone {
		written[ownedKey{f.index, f.epoch(seconds(at)), owner}] = true
	}
}

// markRenamed marks the sets that a rename writes: the next tick looks at them.
func (m *model) markRenamed(written map[ownedKey]bool, from, to string) {
	for k, is := range m.said {
		f := m.families.of(Family{Name: k.family})
		if f.owner == nounNone || (k.owner != from || f.owner != nounPath) && (k.member != from || f.member != nounPath) {
			continue
		}
		if f.owner == nounPath && k.owner == from {
			k.owner = to
		}
		for _, i := range is {
			written[ownedKey{f.index, f.epoch(seconds(i.t)), k.owner}] = true
		}
	}
}

// again packs a store and unpacks it into a new one.
func again(t *testing.T, s *Store, open func(Options) *Store, o Options) *Store {
	t.Helper()
	recs, err := s.Dirty(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	n := open(o)
	if err := n.Restore(t.Context(), recs); err != nil {
		t.Fatal(err)
	}
	if size := n.Size(t.Context()); size.Skipped != 0 || len(recs) < 2 {
		t.Fatalf("restored %d records, %d skipped", len(recs), size.Skipped)
	}
	return n
}

func compare(t *testing.T, s *Store, m *model, w world, at time.Time) {
	t.Helper()
	v := s.View(at)
	type check struct {
		what string
		got  *Values
		want []float64
	}
	var checks []check
	for _, f := range s.families {
		names := w.names(f.member)
		for _, owner := range w.names(f.owner) {
			c := check{what: fmt.Sprintf("%s of %.20q", f.Name, owner), want: make([]float64, len(names))}
			for i, n := range names {
				if f.half != 0 {
					c.want[i] = m.value(f, owner, n, at)
				} else if st := m.stamped[f.Name][n]; !st.IsZero() {
					c.want[i] = seconds(st)
				}
			}
			c.got = v.OwnedOf(f.Family, owner, names)
			checks = append(checks, c)
		}
	}
	top := v.Top(Comod, w.paths[0], 3)
	if err := v.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		for i := range c.want {
			if !near(c.got.Value[i], c.want[i]) {
				t.Fatalf("%s, member %d: got %v, want %v", c.what, i, c.got.Value[i], c.want[i])
			}
		}
	}
	for i, n := range top.Members {
		if want := m.value(s.families.of(Comod), w.paths[0], n, at); !near(top.Values[i], want) {
			t.Fatalf("top %d: %v, want %v", i, top.Values[i], want)
		}
		if i > 0 && top.Values[i] > top.Values[i-1] && !near(top.Values[i], top.Values[i-1]) {
			t.Fatalf("top is not in order: %v", top.Values)
		}
	}
}
