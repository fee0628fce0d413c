package hot

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// entry is one answer of a store: words that must be equal, in order, and numbers to 1e-9.
type entry struct {
	what    string
	words   []string
	numbers []float64
}

// transcript is what a store answered to a script of operations.
type transcript struct {
	tb      testing.TB
	entries []entry
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

// TestDifferential gives every operation of a store to the embedded one and to every kind of server, and compares
// all that they answer.
func TestDifferential(t *testing.T) {
	NeedServer(t, "redis-server")
	var want []*transcript
	for seed := range uint64(diffSeeds) {
		want = append(want, everyOperation(t, seed, ""))
	}
	if missing := slices.DeleteFunc(strings.Fields(operations), func(op string) bool { return want[0].ops[op] > 0 }); len(missing) > 0 {
		t.Fatalf("not tried: %v", missing)
	}
	for _, p := range Places {
		t.Run(p.Name, func(t *testing.T) {
			url := p.Open(t)
			ops, words, numbers := 0, 0, 0
			for seed, w := range want {
				got := everyOperation(t, uint64(seed), url)
				a, b := differ(t, w, got)
				words, numbers = words+a, numbers+b
				for _, n := range got.ops {
					ops += n
				}
			}
			t.Logf("%d operations, %d names in order and %d numbers equal", ops, words, numbers)
		})
	}
}

const diffSeeds = 2

// operations are those that everyOperation must have tried.
const operations = "Apply Apply-again Apply-large Claim Check Dirty Dirty-full Redo Restore Forget Trim Decay Sweep Size View Rename Session Facts Cap Resume Notices"

// everyOperation runs a script of operations, the same for the same seed, on a store of its own.
func everyOperation(tb testing.TB, seed uint64, url string) *transcript {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	half, keep := map[string]time.Duration{}, map[string]int{}
	for _, f := range Families {
		half[f.Name], keep[f.Name] = time.Hour, 5
	}
	o := Options{URL: url, Repo: "diff-" + tb.Name() + fmt.Sprint(seed, r.Uint64()), Writer: "w", Half: half, Keep: keep}
	out := &transcript{tb: tb, ops: map[string]int{}}
	open := func(o Options) *Store {
		s, err := Open(tb.Context(), o)
		out.must("Open", err)
		tb.Cleanup(func() { wipeStore(tb, s); s.Close() })
		return s
	}
	s, w, now := open(o), newWorld(), noon
	lacks, err := s.Check(tb.Context())
	out.must("Check", err)
	out.add("lacks", lackNames(lacks))
	for seq := int64(1); seq <= 40; seq++ {
		now = now.Add(time.Duration(r.IntN(6*3600)) * time.Second)
		b := randomBatch(r, w, s, now, out)
		out.must("Apply", s.Apply(tb.Context(), b, seq))
		if seq%7 == 0 {
			out.must("Apply-again", s.Apply(tb.Context(), b, seq))
			out.must("Resume", s.Resume(tb.Context()))
		}
		if seq%5 == 0 {
			out.claims(r, s, seq)
		}
		if seq%2 == 0 {
			out.look(s, w, now)
		}
		switch seq {
		case 13, 26:
			p := event.Path(pick(r, w.paths))
			out.must("Forget", s.Forget(tb.Context(), p))
			out.look(s, w, now)
		case 20, 33:
			recs, err := s.Dirty(tb.Context(), true)
			out.must("Dirty-full", err)
			out.records("full", recs)
			o.Repo += "again"
			s = open(o)
			out.must("Restore", s.Restore(tb.Context(), recs))
			out.look(s, w, now)
		}
		if seq%4 == 0 {
			recs, err := s.Dirty(tb.Context(), false)
			out.must("Dirty", err)
			out.records("dirty", recs)
			if seq%8 == 0 {
				s.Redo(recs)
				out.ops["Redo"]++
			}
		}
	}
	out.large(s)
	return out
}

func lackNames(lacks []Lack) (out []string) {
	for _, l := range lacks {
		if l.Harms {
			out = append(out, l.String())
		}
	}
	return out
}

func wipeStore(tb testing.TB, s *Store) {
	ctx := context.WithoutCancel(tb.Context())
	keys, err := s.scan(ctx, s.keys.prefix)
	if err != nil {
		return // the server is gone already, and what it held with it
	}
	for _, k := range keys {
		s.client.Del(ctx, s.keys.prefix+k)
	}
}

// randomBatch says something of every kind.
func randomBatch(r *rand.Rand, w world, s *Store, now time.Time, out *transcript) *Batch {
	b := s.Batch()
	fs := s.families
	for range 5 + r.IntN(60) {
		f := fs[r.IntN(len(fs))]
		at := now.Add(-time.Duration(r.IntN(70*3600)) * time.Second)
		switch r.IntN(12) {
		case 0:
			from, to := event.Path(pick(r, w.paths)), event.Path(pick(r, w.paths))
			b.Rename(from, to)
			if r.IntN(3) == 0 {
				b.Rename(to, from) // there and back
			}
			out.ops["Rename"]++
		case 1:
			randomSession(r, w, b, now)
			out.ops["Session"]++
		case 2:
			b.Fact(pick(r, []string{"threshold", "cal:x"}), pick(r, w.terms), pick(r, []string{"", "1", "0.25"}))
			out.ops["Facts"]++
		default:
			weight := r.Float64() * 3
			if r.IntN(5) == 0 {
				weight = -weight / 2
			}
			b.Add(f.Family, pick(r, w.names(f.owner)), pick(r, w.names(f.member)), at, weight)
		}
	}
	if r.IntN(6) == 0 {
		b.Cap(3)
		out.ops["Cap"]++
	}
	b.Notice(Notice{File: event.Path(w.paths[0]), At: now})
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

func randomSession(r *rand.Rand, w world, b *Batch, now time.Time) {
	p, n := event.Path(pick(r, w.paths)), int64(1+r.IntN(50))
	s := b.Session(pick(r, []string{"s1", "s:2", "s%3"}))
	switch r.IntN(12) {
	case 0:
		s.Clear(pick(r, []string{ClearAll, ClearNamed, ClearSeen, ClearTerms, ClearTold, ClearEdits}))
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
	s.Set(FieldClock, fmt.Sprint(n)).Set(FieldCurrent, string(p)).Set(FieldPrompts, fmt.Sprint(n/3))
	s.Touch(now.Add(-time.Duration(r.IntN(20)) * time.Hour))
}

// claims asks for commits that are named again and again.
func (r *transcript) claims(rnd *rand.Rand, s *Store, seq int64) {
	things := make([]Claim, 30)
	for i := range things {
		things[i] = Claim{ID: fmt.Sprint("commit", rnd.IntN(12)), Off: rnd.IntN(3) == 0}
	}
	for range 2 { // the second time the same is answered
		mine, err := s.Claim(r.tb.Context(), seq, things)
		r.must("Claim", err)
		r.add("claims", []string{fmt.Sprint(mine)})
	}
}

// look asks for everything that can be asked.
func (r *transcript) look(s *Store, w world, now time.Time) {
	r.tb.Helper()
	v := s.View(now)
	var after []func()
	for _, f := range s.families {
		for _, owner := range w.names(f.owner) {
			values := v.OwnedOf(f.Family, owner, w.names(f.member))
			after = append(after, func() { r.add(f.Name+" of "+owner, nil, values.Value...) })
			if f.owner != nounNone || f.half == 0 {
				top := v.Top(f.Family, owner, 4)
				after = append(after, func() { r.add("top "+f.Name+" of "+owner, top.Members, top.Values...) })
			}
		}
	}
	for _, id := range []string{"s1", "s:2", "s%3", "none"} {
		sv := v.Session(id)
		after = append(after, func() { r.session(id, sv) })
	}
	for _, key := range []string{"threshold", "cal:x", "none"} {
		facts := v.Facts(key)
		after = append(after, func() { r.add("facts "+key, []string{fmt.Sprint(facts.Fields)}) })
	}
	r.must("View", v.Load(r.tb.Context()))
	for _, fn := range after {
		fn()
	}
	size := s.Size(r.tb.Context())
	r.add("size", []string{fmt.Sprint(size.Sessions, size.Skipped)})
	r.ops["Size"]++
	_, _, err := s.Notices(r.tb.Context(), "")
	r.must("Notices", err)
}

func (r *transcript) session(id string, v *SessionView) {
	mentions := v.Mentions
	v.Mentions = nil
	r.add("session "+id, []string{fmt.Sprintf("%+v", *v)})
	for _, p := range slices.Sorted(mapKeys(mentions)) {
		r.add("mention of "+string(p), nil, mentions[p])
	}
}

func mapKeys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// records are compared by what they hold: sums in another order differ in the last bits.
func (r *transcript) records(what string, recs []Record) {
	for _, rec := range recs {
		n, ok := parseRecord(rec.Key)
		if !ok {
			r.tb.Fatalf("record %q", rec.Key)
		}
		if len(rec.Data) == 0 {
			r.add(what+" "+rec.Key, []string{"gone"})
			continue
		}
		c, err := unpack(n, rec.Data, r.print(rec), len(Families))
		r.must("unpack", err)
		e := entry{what: what + " " + rec.Key}
		for _, sc := range c.scores {
			e.words, e.numbers = append(e.words, fmt.Sprint(sc.family, sc.epoch)), append(e.numbers, sc.value)
		}
		for _, set := range c.sets {
			e.words = append(e.words, fmt.Sprint(set.family, set.epoch, set.grown))
			for _, m := range set.members {
				e.words, e.numbers = append(e.words, m.name), append(e.numbers, m.score)
			}
		}
		for _, p := range c.parts {
			for _, m := range p {
				e.words, e.numbers = append(e.words, m.name), append(e.numbers, m.score)
			}
		}
		e.words, e.numbers = append(e.words, fmt.Sprint(c.fields)), append(e.numbers, c.deadline)
		r.entries = append(r.entries, e)
	}
}

func (r *transcript) print(rec Record) uint32 {
	return uint32(rec.Data[1]) | uint32(rec.Data[2])<<8 | uint32(rec.Data[3])<<16 | uint32(rec.Data[4])<<24
}

// large applies a batch that is cut into steps, twice.
func (r *transcript) large(s *Store) {
	at := s.newest
	for range 2 {
		b := s.Batch()
		for i := range argsPerStep {
			b.Add(Frequency, "", fmt.Sprint("f", i), moment(at), 1)
			b.Add(Comod, fmt.Sprint("o", i%50), fmt.Sprint("f", i), moment(at), float64(i%7))
		}
		r.must("Apply-large", s.Apply(r.tb.Context(), b, 41))
	}
	v := s.View(moment(at))
	freq, top := v.Of(Frequency, []string{"f0", "f1", "f19999", "f20000"}), v.Top(Comod, "o7", 300)
	r.must("View", v.Load(r.tb.Context()))
	r.add("large", top.Members, append(freq.Value, top.Values...)...)
}
