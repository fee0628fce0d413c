package redis

import (
	"fmt"
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

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// entry is one answer of a store: words that must be equal, in order, and numbers.
type entry struct {
	what    string
	words   []string
	numbers []float64
}

// differ compares the answers of two stores: numbers exactly, or to 1e-9. It counts what it compared.
func differ(t testing.TB, what string, want, got []entry, equal func(a, b float64) bool) (words, numbers int) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d answers, not %d", what, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if w.what != g.what || !slices.Equal(w.words, g.words) || len(w.numbers) != len(g.numbers) {
			t.Fatalf("%s: answer %d, %s:\ngot  %.2000q\nwant %.2000q", what, i, w.what, g.words, w.words)
		}
		for j := range w.numbers {
			if !equal(w.numbers[j], g.numbers[j]) {
				t.Fatalf("%s: answer %d, %s, number %d: got %v, want %v", what, i, w.what, j, g.numbers[j], w.numbers[j])
			}
		}
		words, numbers = words+len(w.words), numbers+len(w.numbers)
	}
	return words, numbers
}

// shorten makes the half-lives of all families an hour until the test ends, and their sets small.
func shorten(t *testing.T) {
	t.Helper()
	for _, f := range hot.Families {
		before := *f
		t.Cleanup(func() { *f = before })
		if f.Half > 0 {
			f.Half = time.Hour
		}
		f.Keep, f.Read = min(f.Keep, 5), min(f.Read, 5)
	}
}

func exactly(a, b float64) bool { return a == b }

const diffSeeds = 2

// operations are those that a server must have been asked for.
const operations = "Apply Apply-again Apply-large Claim Check Forget Trim Decay Sweep Rename Cap Load Resume Sync Open"

// TestDifferential gives the same operations to the store in memory and to every kind of server, and compares all that
// three stores answer: the one that learned by itself, the server's mirror that followed the stream, and a mirror that was
// loaded from the server a moment ago.
func TestDifferential(t *testing.T) {
	shorten(t)
	var claims []string
	for _, p := range Places {
		t.Run(p.Name, func(t *testing.T) {
			url := p.Open(t)
			var claimed []string
			for seed := range uint64(diffSeeds) {
				d := &trio{tb: t, r: rand.New(rand.NewPCG(seed, 10)), ops: map[string]int{}}
				d.everyOperation(url)
				if missing := slices.DeleteFunc(strings.Fields(operations),
					func(op string) bool { return d.ops[op] > 0 }); len(missing) > 0 {
					t.Fatalf("not tried: %v", missing)
				}
				claimed = append(claimed, d.claimed...)
				t.Logf("%v: %d names in order and %d numbers equal", d.ops, d.words, d.numbers)
			}
			if claims == nil {
				claims = claimed
			}
			if !slices.Equal(claims, claimed) || len(claims) == 0 {
				t.Errorf("claims are %v, want %v", claimed, claims)
			}
		})
	}
}

// trio is a store in memory and a server that get the same.
type trio struct {
	tb      testing.TB
	r       *rand.Rand
	options Options
	own     *hot.Store
	server  *Store
	seq     int64
	now     time.Time
	world   world
	ops     map[string]int
	claimed []string

	words, numbers int
}

func (d *trio) must(op string, err error) {
	d.tb.Helper()
	d.ops[op]++
	if err != nil {
		d.tb.Fatalf("%s: %v", op, err)
	}
}

// everyOperation runs a script of operations, the same for the same seed.
func (d *trio) everyOperation(url string) {
	d.tb.Helper()
	d.options = Options{URL: url, Repo: "diff-" + d.tb.Name() + fmt.Sprint(d.r.Uint64()), Writer: "w"}
	d.own = hot.New(nil)
	var err error
	d.server, err = Open(d.tb.Context(), d.options)
	d.must("Open", err)
	d.tb.Cleanup(func() { d.server.Close() })
	d.must("Load", d.server.Load(d.tb.Context()))
	d.world, d.now = newWorld(), noon
	for i := 1; i <= 40; i++ {
		d.now = d.now.Add(time.Duration(d.r.IntN(6*3600)) * time.Second)
		d.apply("Apply", randomBatch(d.r, d.world, d.now, d.ops), 1+i%7/6)
		if i%5 == 0 {
			d.serverOnly()
		}
		if i%2 == 0 {
			d.look()
		}
		switch i {
		case 13, 26:
			d.forget()
		case 20, 33:
			d.reopen()
		}
	}
	d.large()
	wipe(d.tb, d.server)
}

// apply gives a batch to both, so many times.
func (d *trio) apply(op string, b *hot.Batch, times int) {
	d.tb.Helper()
	d.seq++
	for range times {
		d.must(op, d.own.Apply(d.tb.Context(), b, d.seq))
		d.must(op, d.server.Apply(d.tb.Context(), b, d.seq))
		op += "-again"
	}
}

// tidy has both look at all that was written: a mirror that is loaded does not know what was.
func (d *trio) tidy() {
	d.tb.Helper()
	b := hot.NewBatch()
	b.Trim(d.now)
	b.Decay(d.now)
	b.Sweep(d.now)
	d.apply("Apply", b, 1)
}

func (d *trio) forget() {
	d.tb.Helper()
	d.tidy()
	file := event.Path(pick(d.r, d.world.files))
	d.own.Change(d.own.PlanForget([]event.Path{file})) // of sessions the daemons of both learn the log again
	d.must("Forget", d.server.Forget(d.tb.Context(), d.now, file))
	before := d.server.Mirror()
	d.look()
	if d.server.Mirror() == before {
		d.tb.Fatal("the mirror goes on, with the name of what was forgotten")
	}
}

// reopen goes on with other stores that know the same.
func (d *trio) reopen() {
	d.tb.Helper()
	ctx := d.tb.Context()
	recs, err := d.own.Dirty(ctx, true)
	d.must("Dirty", err)
	d.own = hot.New(nil)
	d.must("Restore", d.own.Restore(ctx, recs))
	o := d.options
	o.Learned = func(int64) (int64, error) { return d.server.Applied(ctx) }
	again, err := Open(ctx, o)
	d.must("Open", err)
	d.tb.Cleanup(func() { again.Close() })
	d.must("Resume", again.Resume(ctx, d.server.Mirror()))
	if again.Sent() != d.seq {
		d.tb.Fatalf("the server has %d batches, not %d", again.Sent(), d.seq)
	}
	d.server = again
	d.look()
}

// look asks all three for everything.
func (d *trio) look() {
	d.tb.Helper()
	d.must("Sync", d.server.Sync(d.tb.Context()))
	words, numbers := differ(d.tb, "own and mirror", answersOf(d.tb, d.own, d.world, d.now),
		answersOf(d.tb, d.server.Mirror().Scores, d.world, d.now), near)
	d.words, d.numbers = d.words+words, d.numbers+numbers
	differ(d.tb, "mirror and server", answersOf(d.tb, d.server.Mirror().Scores, d.world, d.now),
		answersOf(d.tb, loaded(d.tb, d.options), d.world, d.now), exactly)
}

// loaded is what the server has now.
func loaded(tb testing.TB, o Options) *hot.Store {
	tb.Helper()
	o.Writer, o.Learned, o.Edited = "onlooker", nil, nil
	s, err := Open(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	if err := s.Load(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return s.Mirror().Scores
}

// answersOf asks for everything that can be asked of scores.
func answersOf(tb testing.TB, s *hot.Store, w world, at time.Time) (out []entry) {
	tb.Helper()
	v := s.View(at)
	var after []func()
	for _, f := range hot.Families {
		for _, owner := range w.names(f.Owner) {
			values := v.OwnedOf(f, owner, w.names(f.Member))
			after = append(after, func() { out = append(out, entry{f.Name + " of " + owner, nil, values.Value}) })
			if !f.Global() || f.Half == 0 {
				top := v.Top(f, owner, 4)
				after = append(after, func() { out = append(out, entry{"top " + f.Name + " of " + owner, top.Members, top.Values}) })
			}
		}
	}
	if err := v.Load(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	for _, fn := range after {
		fn()
	}
	return out
}

func wipe(tb testing.TB, s *Store) {
	keys, err := s.scan(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	for _, k := range append(keys, "") {
		s.client.Del(tb.Context(), s.keys.prefix+k)
	}
	s.client.Del(tb.Context(), s.keys.version)
}

// serverOnly does what only a server does: it claims commits that are named again and again.
func (d *trio) serverOnly() {
	things := make([]Claim, 30)
	for i := range things {
		things[i] = Claim{ID: fmt.Sprint("commit", d.r.IntN(12)), Off: d.r.IntN(3) == 0}
	}
	for range 2 { // the second time the same is answered
		mine, err := d.server.Claim(d.tb.Context(), d.seq+1, things)
		d.must("Claim", err)
		d.claimed = append(d.claimed, fmt.Sprint(mine))
	}
	lacks, err := d.server.Check(d.tb.Context())
	d.must("Check", err)
	for _, l := range lacks {
		if l.Harms {
			d.tb.Errorf("the server lacks %v", l)
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
func randomBatch(r *rand.Rand, w world, now time.Time, ops map[string]int) *hot.Batch {
	b := hot.NewBatch()
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
			ops["Rename"]++
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
		ops["Cap"]++
	}
	b.Edit(hot.Edit{File: event.Path(w.files[0]), At: now})
	switch r.IntN(8) {
	case 0, 1:
		b.Trim(now)
		ops["Trim"]++
	case 2:
		b.Decay(now)
		ops["Decay"]++
	case 3:
		b.Sweep(now)
		ops["Sweep"]++
	}
	return b
}

// large applies a batch that is cut into steps, twice.
func (d *trio) large() {
	d.tb.Helper()
	b := hot.NewBatch()
	for i := range 20_000 {
		b.Add(hot.Frequency, "", fmt.Sprint("f", i), d.now, 1)
		b.Add(hot.Comod, fmt.Sprint("o", i%50), fmt.Sprint("f", i), d.now, float64(i%7))
	}
	d.apply("Apply-large", b, 2)
	d.must("Sync", d.server.Sync(d.tb.Context()))
	w := world{files: []string{"o0", "o7", "o49"}}
	for i := range 20_000 {
		w.files = append(w.files, fmt.Sprint("f", i))
	}
	for _, s := range []*hot.Store{d.server.Mirror().Scores, loaded(d.tb, d.options)} {
		for _, f := range []*hot.Family{hot.Frequency, hot.Comod} {
			for _, o := range map[bool][]string{true: {""}, false: w.files[:3]}[f.Owner == hot.NounNone] {
				differ(d.tb, "large", valuesOf(d.tb, d.own, f, o, w.files, d.now), valuesOf(d.tb, s, f, o, w.files, d.now), near)
			}
		}
	}
}

func valuesOf(tb testing.TB, s *hot.Store, f *hot.Family, owner string, members []string, at time.Time) []entry {
	tb.Helper()
	v := s.View(at)
	r := v.OwnedOf(f, owner, members)
	if err := v.Load(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return []entry{{f.Name, nil, r.Value}}
}
