package redis

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

func init() { readTimeout = 30 * time.Second }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// store is what the store in memory and that of a server have in common.
type store interface {
	Batch() *hot.Batch
	Apply(ctx context.Context, b *hot.Batch, seq int64) error
	Applied(ctx context.Context) (int64, error)
	View(at time.Time) *hot.View
	Forget(ctx context.Context, p event.Path) error
}

func apply(t *testing.T, s store, seq int64, fill func(b *hot.Batch)) {
	t.Helper()
	b := s.Batch()
	fill(b)
	if err := s.Apply(t.Context(), b, seq); err != nil {
		t.Fatal(err)
	}
}

func one(t *testing.T, s store, f hot.Family, owner, name string) float64 {
	t.Helper()
	v := s.View(noon)
	r := v.OwnedOf(f, owner, []string{name})
	if err := v.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.Value[0]
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// entry is one answer of a store: words that must be equal, in order, and numbers to 1e-9.
type entry struct {
	what    string
	words   []string
	numbers []float64
}

// transcript is what a store answered to a script of operations.
type transcript struct {
	tb      testing.TB
	store   store
	entries []entry
	claimed []string // by a server only
	ops     map[string]int
}

func (r *transcript) add(what string, words []string, numbers ...float64) {
	r.entries = append(r.entries, entry{what, words, numbers})
}

func (r *transcript) must(op string, err error) {
	r.tb.Helper()
	r.ops[op]++
	if err != nil {
		r.tb.Fatalf("%s: %v", op, err)
	}
}

// differ compares two transcripts and counts what was compared.
func differ(t *testing.T, want, got *transcript) (words, numbers int) {
	t.Helper()
	if len(want.entries) != len(got.entries) {
		t.Fatalf("%d answers, not %d", len(got.entries), len(want.entries))
	}
	for i, w := range want.entries {
		g := got.entries[i]
		if w.what != g.what || !slices.Equal(w.words, g.words) || len(w.numbers) != len(g.numbers) {
			t.Fatalf("answer %d, %s:\ngot  %.2000q\nwant %.2000q", i, w.what, g.words, w.words)
		}
		for j := range w.numbers {
			if !near(w.numbers[j], g.numbers[j]) {
				t.Fatalf("answer %d, %s, number %d: got %v, want %v", i, w.what, j, g.numbers[j], w.numbers[j])
			}
		}
		words, numbers = words+len(w.words), numbers+len(w.numbers)
	}
	return words, numbers
}

const diffSeeds = 2

// operations are those that a server must have been asked for.
const operations = "Apply Apply-again Apply-large Applied Claim Check Forget Trim Decay Sweep View Rename Session Cap Resume Notices Reopen"

// TestDifferential gives the same operations to the store in memory and to every kind of server, and compares all
// that they answer.
func TestDifferential(t *testing.T) {
	var want []*transcript
	for seed := range uint64(diffSeeds) {
		want = append(want, everyOperation(t, seed, ""))
	}
	var claims []string
	for _, p := range Places {
		t.Run(p.Name, func(t *testing.T) {
			url := p.Open(t)
			ops, words, numbers := 0, 0, 0
			var claimed []string
			for seed, w := range want {
				got := everyOperation(t, uint64(seed), url)
				a, b := differ(t, w, got)
				words, numbers = words+a, numbers+b
				for _, n := range got.ops {
					ops += n
				}
				missing := slices.DeleteFunc(strings.Fields(operations), func(op string) bool { return got.ops[op] > 0 })
				if len(missing) > 0 {
					t.Fatalf("not tried: %v", missing)
				}
				claimed = append(claimed, got.claimed...)
			}
			if claims == nil {
				claims = claimed
			}
			if !slices.Equal(claims, claimed) || len(claims) == 0 {
				t.Errorf("claims are %v, want %v", claimed, claims)
			}
			t.Logf("%d operations, %d names in order and %d numbers equal", ops, words, numbers)
		})
	}
}

// everyOperation runs a script of operations, the same for the same seed, on a store of its own: with a URL on a
// server, which is opened anew where the store in memory is restored from its snapshot.
func everyOperation(tb testing.TB, seed uint64, url string) *transcript {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	o := Options{URL: url, Repo: "diff-" + tb.Name() + fmt.Sprint(seed, r.Uint64()), Writer: "w"}
	o.Half, o.Keep = map[string]time.Duration{}, map[string]int{}
	for _, f := range hot.Families {
		o.Half[f.Name], o.Keep[f.Name] = time.Hour, 5
	}
	out := &transcript{tb: tb, ops: map[string]int{}}
	out.reopen(o)
	w, now := newWorld(), noon
	for seq := int64(1); seq <= 40; seq++ {
		now = now.Add(time.Duration(r.IntN(6*3600)) * time.Second)
		b := randomBatch(r, w, out.store, now, out)
		out.must("Apply", out.store.Apply(tb.Context(), b, seq))
		if seq%7 == 0 {
			out.must("Apply-again", out.store.Apply(tb.Context(), b, seq))
		}
		if seq%5 == 0 {
			out.server(r, seq)
		}
		if seq%2 == 0 {
			out.look(w, now)
		}
		switch seq {
		case 13, 26:
			out.must("Forget", out.store.Forget(tb.Context(), event.Path(pick(r, w.files))))
			out.look(w, now)
		case 20, 33:
			out.reopen(o)
			out.look(w, now)
		}
	}
	out.large(now)
	return out
}

// reopen goes on with another store that knows the same.
func (r *transcript) reopen(o Options) {
	r.tb.Helper()
	if o.URL != "" {
		s, err := Open(r.tb.Context(), o)
		r.must("Reopen", err)
		if r.store != nil {
			s.grown = maps.Clone(r.store.(*Store).grown) // the other's snapshot knows what the next tick looks at
		}
		r.store = s
		r.tb.Cleanup(func() { wipe(r.tb, s); s.Close() })
		return
	}
	s, err := hot.New(o.Options)
	r.must("Reopen", err)
	if r.store != nil {
		recs, err := r.store.(*hot.Store).Dirty(r.tb.Context(), true)
		r.must("Dirty", err)
		r.must("Restore", s.Restore(r.tb.Context(), recs))
	}
	r.store = s
}

func wipe(tb testing.TB, s *Store) {
	ctx := context.WithoutCancel(tb.Context())
	keys, err := s.scan(ctx, s.keys.prefix)
	if err != nil {
		return // the server is gone already, and what it held with it
	}
	for _, k := range keys {
		s.client.Del(ctx, s.keys.prefix+k)
	}
}

// server does what only a server does: it claims commits that are named again and again.
func (r *transcript) server(rnd *rand.Rand, seq int64) {
	things := make([]Claim, 30)
	for i := range things {
		things[i] = Claim{ID: fmt.Sprint("commit", rnd.IntN(12)), Off: rnd.IntN(3) == 0}
	}
	s, ok := r.store.(*Store)
	if !ok {
		return
	}
	ctx := r.tb.Context()
	for range 2 { // the second time the same is answered
		mine, err := s.Claim(ctx, seq, things)
		r.must("Claim", err)
		r.claimed = append(r.claimed, fmt.Sprint(mine))
	}
	r.must("Resume", s.Resume(ctx))
	_, _, err := s.Notices(ctx, "")
	r.must("Notices", err)
	lacks, err := s.Check(ctx)
	r.must("Check", err)
	for _, l := range lacks {
		if l.Harms {
			r.tb.Errorf("the server lacks %v", l)
		}
	}
}

// world is the small set of names that the random batches use, hostile ones among them.
type world struct{ files, tags, terms []string }

func newWorld() world {
	w := world{tags: []string{"auth", "x:y", "go"}, terms: []string{"auth", "login", "a:b", "%"}}
	for i := range 12 {
		w.files = append(w.files, fmt.Sprintf("dir%d/file%d.go", i%3, i))
	}
	w.files = append(w.files, "new\nline", "\xff\xfe", "auth", "7d:1:a", strings.Repeat("x", 4096), " ")
	return w
}

func pick(r *rand.Rand, s []string) string { return s[r.IntN(len(s))] }

func (w world) names(n hot.Noun) []string {
	return map[hot.Noun][]string{hot.NounNone: {""}, hot.NounFile: w.files, hot.NounTag: w.tags, hot.NounTerm: w.terms}[n]
}

// randomBatch has something of every kind.
func randomBatch(r *rand.Rand, w world, s store, now time.Time, out *transcript) *hot.Batch {
	b := s.Batch()
	for range 5 + r.IntN(60) {
		f := hot.Families[r.IntN(len(hot.Families))]
		at := now.Add(-time.Duration(r.IntN(70*3600)) * time.Second)
		switch r.IntN(12) {
		case 0:
			from, to := event.Path(pick(r, w.files)), event.Path(pick(r, w.files))
			b.Rename(from, to)
			if r.IntN(3) == 0 {
				b.Rename(to, from) // there and back
			}
			out.ops["Rename"]++
		case 1:
			randomSession(r, w, b, now)
			out.ops["Session"]++
		default:
			weight := r.Float64() * 3
			if r.IntN(5) == 0 {
				weight = -weight / 2
			}
			b.Add(f, pick(r, w.names(f.Owner)), pick(r, w.names(f.Member)), at, weight)
		}
	}
	if r.IntN(6) == 0 {
		b.Cap(3)
		out.ops["Cap"]++
	}
	b.Notice(hot.Notice{File: event.Path(w.files[0]), At: now})
	switch r.IntN(8) {
	case 0, 1:
		b.Trim(now)
		out.ops["Trim"]++
	case 2:
		b.Decay(now)
		out.ops["Decay"]++
	case 3:
		b.Sweep(now)
		out.ops["Sweep"]++
	}
	return b
}

func randomSession(r *rand.Rand, w world, b *hot.Batch, now time.Time) {
	p, n := event.Path(pick(r, w.files)), int64(1+r.IntN(50))
	s := b.Session(pick(r, []string{"s1", "s:2", "s%3"}))
	switch r.IntN(12) {
	case 0:
		if p := hot.Part(r.IntN(int(hot.Parts) + 1)); p < hot.Parts {
			s.Clear(p)
		} else {
			s.Renew()
		}
	case 1:
		s.Unsee(p)
	case 2:
		s.Told(p, now)
	case 3:
		s.Edited(p, now)
	case 4:
		s.Term(pick(r, w.terms), n)
	case 5:
		s.Named(p, n).Run(p, n)
	default:
		s.File(p, n, now).First(p, n).Seen(p, n, r.Float64()*2)
	}
	s.Set(hot.FieldClock, fmt.Sprint(n)).Set(hot.FieldCurrent, string(p)).Set(hot.FieldPrompts, fmt.Sprint(n/3))
	s.Touch(now.Add(-time.Duration(r.IntN(20)) * time.Hour))
}

// look asks for everything that can be asked.
func (r *transcript) look(w world, now time.Time) {
	r.tb.Helper()
	v := r.store.View(now)
	var after []func()
	for _, f := range hot.Families {
		for _, owner := range w.names(f.Owner) {
			values := v.OwnedOf(f, owner, w.names(f.Member))
			after = append(after, func() { r.add(f.Name+" of "+owner, nil, values.Value...) })
			if !f.Global() || f.Half == 0 {
				top := v.Top(f, owner, 4)
				after = append(after, func() { r.add("top "+f.Name+" of "+owner, top.Members, top.Values...) })
			}
		}
	}
	for _, id := range []string{"s1", "s:2", "s%3", "none"} {
		sv := v.Session(id)
		after = append(after, func() { r.session(id, sv) })
	}
	r.must("View", v.Load(r.tb.Context()))
	for _, fn := range after {
		fn()
	}
	seq, err := r.store.Applied(r.tb.Context())
	r.must("Applied", err)
	r.add("applied", nil, float64(seq))
}

func (r *transcript) session(id string, v *hot.SessionView) {
	mentions := v.Mentions
	v.Mentions = nil
	r.add("session "+id, []string{fmt.Sprintf("%+v", *v)})
	for _, p := range slices.Sorted(maps.Keys(mentions)) {
		r.add("mention of "+string(p), nil, mentions[p])
	}
}

// large applies a batch that is cut into steps, twice.
func (r *transcript) large(at time.Time) {
	for range 2 {
		b := r.store.Batch()
		for i := range wordsPerStep {
			b.Add(hot.Frequency, "", fmt.Sprint("f", i), at, 1)
			b.Add(hot.Comod, fmt.Sprint("o", i%50), fmt.Sprint("f", i), at, float64(i%7))
		}
		r.must("Apply-large", r.store.Apply(r.tb.Context(), b, 41))
	}
	v := r.store.View(at)
	freq, top := v.Of(hot.Frequency, []string{"f0", "f1", "f19999", "f20000"}), v.Top(hot.Comod, "o7", 300)
	r.must("View", v.Load(r.tb.Context()))
	r.add("large", top.Members, append(freq.Value, top.Values...)...)
}
