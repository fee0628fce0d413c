package redis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

func apply(t *testing.T, s *Store, seq int64, fill func(b *hot.Batch)) {
	t.Helper()
	b := hot.NewBatch()
	fill(b)
	if err := s.Apply(t.Context(), b, seq); err != nil {
		t.Fatal(err)
	}
}

// one is a value in the mirror, with all of the stream in it.
func one(t *testing.T, s *Store, f *hot.Family, owner, name string) float64 {
	t.Helper()
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return valuesOf(t, s.Mirror().Scores, f, owner, []string{name}, noon)[0].numbers[0]
}

// TestServerElsewhere: a batch is refused by a server that was emptied, or that stands at another batch, and a new
// connection knows from where on the log is to be given again.
func TestServerElsewhere(t *testing.T) {
	m := miniredis.RunT(t)
	s := openAt(t, m, Options{Writer: "w"})
	add := func(seq int64) error {
		b := hot.NewBatch()
		b.Add(hot.Frequency, "", "a", noon, 1)
		return s.Apply(t.Context(), b, seq)
	}
	for seq := range int64(3) {
		if err := add(seq + 1); err != nil {
			t.Fatal(err)
		}
	}
	m.HSet(s.keys.applied(), "w", "2") // a fail-over lost the newest batch
	if err := add(4); !errors.Is(err, ErrMark) {
		t.Fatalf("a batch was skipped: %v", err)
	}
	if _, err := s.Claim(t.Context(), 4, []Claim{{ID: "c"}}); !errors.Is(err, ErrMark) {
		t.Fatalf("a claim was decided: %v", err)
	}
	if s = openAt(t, m, Options{Writer: "w"}); s.Sent() != 2 {
		t.Fatalf("it goes on at %d", s.Sent())
	}
	if err := add(3); err != nil {
		t.Fatal(err)
	}
	m.FlushAll()
	if err := add(4); !errors.Is(err, ErrMark) {
		t.Fatalf("an emptied server took a batch: %v", err)
	}
	if err := s.Sync(t.Context()); !errors.Is(err, ErrMark) {
		t.Fatalf("an emptied server was read on: %v", err)
	}
	if s = openAt(t, m, Options{Writer: "w"}); s.Sent() != 0 {
		t.Fatalf("it goes on at %d", s.Sent())
	}
	if err := add(1); err != nil || !near(one(t, s, hot.Frequency, "", "a"), 1) {
		t.Errorf("after that a is %v, %v", one(t, s, hot.Frequency, "", "a"), err)
	}
}

// TestGap: a stream that does not continue what the mirror has read is noticed, and the sets are loaded again.
func TestGap(t *testing.T) {
	for what, hurt := range map[string]func(m *miniredis.Miniredis, a *Store){
		"cut": func(m *miniredis.Miniredis, a *Store) { a.client.XTrimMaxLen(t.Context(), a.keys.stream(), 1) },
		"foreign": func(m *miniredis.Miniredis, a *Store) { // entries and scores of another program
			for _, d := range []string{"+what", "+16:scores:frequency1:11:x3:inf", ""} {
				if _, err := m.XAdd(a.keys.stream(), "*", []string{"d", d}); err != nil {
					t.Fatal(err)
				}
			}
			a.client.ZAdd(t.Context(), a.keys.prefix+"scores:recency", redis.Z{Member: "y", Score: math.Inf(1)})
		},
		"deleted": func(m *miniredis.Miniredis, a *Store) { m.Del(a.keys.stream()) },
		"replaced": func(m *miniredis.Miniredis, a *Store) { // as many entries of another one
			m.FlushAll()
			again := openAt(t, m, Options{Writer: "a"})
			for seq := range int64(10) {
				apply(t, again, seq+1, func(b *hot.Batch) { b.Add(hot.Frequency, "", "x", noon, 1) })
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			m := miniredis.RunT(t)
			a, b := openAt(t, m, Options{Writer: "a"}), openAt(t, m, Options{Writer: "b"})
			add := func(seq int64) { apply(t, a, seq, func(b *hot.Batch) { b.Add(hot.Frequency, "", "x", noon, 1) }) }
			add(1)
			if got := one(t, b, hot.Frequency, "", "x"); !near(got, 1) {
				t.Fatalf("x is %v", got)
			}
			for seq := range int64(3) {
				add(seq + 2)
			}
			hurt(m, a)
			before := b.Mirror()
			if err := b.Sync(t.Context()); err != nil || b.Mirror() == before {
				t.Fatalf("the mirror goes on: %v", err)
			}
			differ(t, what, answersOf(t, loaded(t, b.asked(m)), newWorld(), noon),
				answersOf(t, b.Mirror().Scores, newWorld(), noon), exactly)
		})
	}
}

// asked are the options that open the same store.
func (s *Store) asked(m *miniredis.Miniredis) Options {
	return Options{URL: "redis://" + m.Addr(), Repo: "r"}
}

// TestEdits: others learn of an edit once, also of one from before, its own daemon does not.
func TestEdits(t *testing.T) {
	m := miniredis.RunT(t)
	heard := map[string][]hot.Edit{}
	listen := func(who string) *Store {
		return openAt(t, m, Options{Writer: who, Edited: func(e hot.Edit) { heard[who] = append(heard[who], e) }})
	}
	a, b := listen("a"), listen("b")
	apply(t, a, 1, func(x *hot.Batch) { x.Edit(hot.Edit{File: "x.go", At: noon}) })
	c := listen("c")
	for range 2 {
		for _, s := range []*Store{a, b, c} {
			if err := s.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []hot.Edit{{File: "x.go", At: noon}}
	if !slices.Equal(heard["b"], want) || !slices.Equal(heard["c"], want) || len(heard["a"]) > 0 {
		t.Errorf("heard: %v", heard)
	}
}

// TestWait: who waits is called when another writer applies something, and Close ends the waiting.
func TestWait(t *testing.T) {
	m := miniredis.RunT(t)
	a, b := openAt(t, m, Options{Writer: "a"}), openAt(t, m, Options{Writer: "b"})
	done := make(chan error)
	wait := func() { done <- b.Wait(t.Context()) }
	go wait()
	apply(t, a, 1, func(x *hot.Batch) { x.Add(hot.Frequency, "", "x", noon, 1) })
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := one(t, b, hot.Frequency, "", "x"); !near(got, 1) {
		t.Errorf("x is %v", got)
	}
	go wait()
	b.Close()
	if err := <-done; err == nil {
		t.Error("it waits on a closed connection")
	}
}

// TestNewerProtocol: a server that a newer edition writes to is refused.
func TestNewerProtocol(t *testing.T) {
	m := miniredis.RunT(t)
	s := openAt(t, m, Options{})
	if err := m.Set(s.keys.version, "3"); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), s.asked(m)); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "update aOa") {
		t.Errorf("opened %v, %v", s, err)
	}
}

// TestCheckNames: what an access list refuses is named.
func TestCheckNames(t *testing.T) {
	addr := Serve(t, "redis-server")
	rights := strings.ReplaceAll(strings.Join(Rights, " "), "+zscore ", "")
	args := []any{"ACL", "SETUSER", "poor", "on", ">p"}
	for _, r := range strings.Fields(rights) {
		args = append(args, r)
	}
	if err := ask(t.Context(), addr, args...); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{URL: "redis://poor:p@" + addr, Repo: "r"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	lacks, err := s.Check(t.Context())
	if err != nil || len(lacks) != 1 || lacks[0].What != "ZSCORE" || !lacks[0].Harms {
		t.Errorf("lacks are %v, %v", lacks, err)
	}
}

// TestApplyResumes cuts a large batch short and gives it again: the steps that were in are not repeated.
func TestApplyResumes(t *testing.T) {
	m := miniredis.RunT(t)
	s := openAt(t, m, Options{})
	b := hot.NewBatch()
	b.Rename("old", "new")
	for i := range 9000 {
		b.Add(hot.Frequency, "", fmt.Sprint("f", i%5000), noon, 1)
		b.Add(hot.Comod, fmt.Sprint("o", i%50), fmt.Sprint("f", i), noon, 1)
	}
	apply(t, s, 1, func(b *hot.Batch) { b.Add(hot.Frequency, "", "old", noon, 1) })
	r := b.Resolve()
	w := &writer{store: s, seq: 2}
	if err := w.rename(t.Context(), r.Moved); err != nil {
		t.Fatal(err)
	}
	for step, last := range steps(r.Changes, r.Edits, stepBytes, all) { // the first steps of Apply, and then the process is gone
		if last || w.step == 3 {
			break
		}
		if err := w.next(t.Context(), step, "", false); err != nil {
			t.Fatal(err)
		}
	}
	again := openAt(t, m, Options{})
	if again.Sent() != 1 || again.step != 3 {
		t.Fatalf("it goes on at %d, %d", again.Sent(), again.step)
	}
	if err := again.Apply(t.Context(), b, 2); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{s, again} {
		got := []float64{one(t, s, hot.Frequency, "", "f0"), one(t, s, hot.Frequency, "", "f4999"), one(t, s, hot.Comod, "o1", "f1"),
			one(t, s, hot.Frequency, "", "new"), one(t, s, hot.Frequency, "", "old")}
		if !slices.EqualFunc(got, []float64{2, 1, 1, 1, 0}, near) {
			t.Errorf("scores are %v", got)
		}
	}
}

func TestTwoWritersAddUp(t *testing.T) {
	m := miniredis.RunT(t)
	a, b := openAt(t, m, Options{Writer: "a"}), openAt(t, m, Options{Writer: "b"})
	add := func(x *hot.Batch) { x.Add(hot.Frequency, "", "f", noon, 1) }
	apply(t, a, 1, add)
	apply(t, b, 1, add)
	if got := one(t, a, hot.Frequency, "", "f"); !near(got, 2) {
		t.Errorf("two writers count %v", got)
	}
	apply(t, openAt(t, m, Options{Writer: "a"}), 1, add)
	if got := one(t, a, hot.Frequency, "", "f"); !near(got, 2) {
		t.Errorf("a batch of the daemon's former life counts again: %v", got)
	}
	if a.Mirror().Own() != 1 || b.Mirror().Own() != 0 {
		t.Errorf("own batches are %d, %d", a.Mirror().Own(), b.Mirror().Own())
	}
}

// TestMirrorsAgree: three writers rename, trim and add at once, mirrors follow, others are loaded in the middle. In the
// end all have what the server has, to the last bit.
func TestMirrorsAgree(t *testing.T) {
	shorten(t)
	for _, p := range Places {
		t.Run(p.Name, func(t *testing.T) {
			o := Options{URL: p.Open(t), Repo: fmt.Sprint("agree-", rand.Uint64())}
			var writers sync.WaitGroup
			var stores []*Store
			open := func(who int) *Store {
				o := o
				o.Writer = fmt.Sprint(who)
				s, err := Open(t.Context(), o)
				if err == nil {
					err = s.Load(t.Context())
				}
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				stores = append(stores, s)
				return s
			}
			for who := range 3 {
				s, r := open(who), rand.New(rand.NewPCG(uint64(who), 3))
				writers.Go(func() {
					for seq := int64(1); seq <= 40; seq++ {
						b := randomBatch(r, newWorld(), noon.Add(time.Duration(seq)*time.Minute), map[string]int{})
						if err := s.Apply(t.Context(), b, seq); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			for late := range 4 {
				open(10 + late)
			}
			writers.Wait()
			want := answersOf(t, loaded(t, o), newWorld(), noon)
			numbers := 0
			for i, s := range stores {
				if err := s.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
				_, n := differ(t, fmt.Sprint("mirror ", i), want, answersOf(t, s.Mirror().Scores, newWorld(), noon), exactly)
				numbers += n
			}
			t.Logf("%d numbers of %d mirrors equal those of the server", numbers, len(stores))
		})
	}
}

// TestNothingIsLeft: no key stays of an epoch that nobody reads.
func TestNothingIsLeft(t *testing.T) {
	shorten(t)
	s := openAt(t, miniredis.RunT(t), Options{})
	for i := range 5 {
		at := noon.Add(time.Duration(i) * 32 * time.Hour)
		apply(t, s, int64(i+1), func(b *hot.Batch) {
			b.Add(hot.Comod, "a", "b", at, 1)
			b.Add(hot.Frequency, "", "a", at, 1)
			b.Add(hot.Comod, "a", "late", at.Add(-64*time.Hour), 1)
			b.Trim(at)
		})
		k := hot.Comod.Epoch(hot.Seconds(at))
		keys, err := s.scan(t.Context())
		keys = slices.DeleteFunc(keys, func(k string) bool { return !strings.HasPrefix(k, "comod") && !strings.HasPrefix(k, "scores") })
		if err != nil || len(keys) == 0 || len(keys) > 4 || !slices.Contains(keys, fmt.Sprintf("comod:1h:%d:a", k)) {
			t.Fatalf("epoch %d: keys %q, %v", k, keys, err)
		}
	}
}

// TestForgotten: nothing on the server names what was forgotten, nor in a mirror that is loaded then.
func TestForgotten(t *testing.T) {
	m := miniredis.RunT(t)
	a, b := openAt(t, m, Options{Writer: "a"}), openAt(t, m, Options{Writer: "b"})
	w := newWorld()
	for i, s := range []*Store{a, b} {
		apply(t, s, 1, func(x *hot.Batch) {
			for _, f := range hot.Families {
				for _, o := range append(w.names(f.Owner), map[bool]string{true: "secret/key"}[f.Owner == hot.NounFile]) {
					x.Add(f, o, map[bool]string{true: "secret/key"}[f.Member == hot.NounFile], noon, 1)
					x.Add(f, o, w.files[i], noon, 1)
				}
			}
			x.Edit(hot.Edit{File: "secret/key", At: noon})
		})
	}
	dump := func() string {
		all := m.Dump()
		for _, k := range m.Keys() {
			if es, err := m.Stream(k); err == nil {
				all += fmt.Sprint(es)
			}
		}
		return all
	}
	if !strings.Contains(dump(), "secret") {
		t.Fatal("nothing to forget")
	}
	if err := a.Forget(t.Context(), noon, event.Path("secret/key")); err != nil {
		t.Fatal(err)
	}
	if i := strings.Index(dump(), "secret"); i >= 0 {
		t.Errorf("still there: %.300q", dump()[i:])
	}
	if err := b.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	recs, err := b.Mirror().Scores.Dirty(t.Context(), true)
	if err != nil || len(recs) < 10 {
		t.Fatal(len(recs), err)
	}
	for _, r := range recs {
		if strings.Contains(r.Key+string(r.Data), "secret") {
			t.Errorf("the mirror has %q", r.Key)
		}
	}
	if got := one(t, b, hot.Frequency, "", w.files[1]); !near(got, 2) {
		t.Errorf("another file is %v", got)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{}, {Repo: "r"}, {Repo: "r", URL: "http://x"}, {Repo: "r", URL: "redis://127.0.0.1:1"}} {
		if s, err := Open(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
}

// FuzzStep: a step that is read is one that can be written, and the other way round.
func FuzzStep(f *testing.F) {
	r := randomBatch(rand.New(rand.NewPCG(1, 1)), newWorld(), noon, map[string]int{}).Resolve()
	for step := range steps(r.Changes, r.Edits, 1<<10, all) {
		f.Add(string(step))
	}
	f.Add("-5:tag:x1:11:a1:0")
	f.Add("04:what")
	f.Fuzz(func(t *testing.T, text string) {
		_, changes, edits, err := decodeStep(text)
		if err != nil {
			return
		}
		for step, last := range steps(changes, edits, len(text)*100+100, all) {
			names, again, edits2, err := decodeStep(string(step))
			if !last || err != nil || fmt.Sprint(again) != fmt.Sprint(changes) || fmt.Sprint(edits2) != fmt.Sprint(edits) ||
				len(names) != len(again) {
				t.Fatalf("%q is read as\n%v %v\n%v %v, %v", step, changes, edits, again, edits2, err)
			}
		}
	})
}

func openAt(t *testing.T, m *miniredis.Miniredis, o Options) *Store {
	t.Helper()
	o.URL, o.Repo = "redis://"+m.Addr(), "r"
	s, err := Open(t.Context(), o)
	if err == nil {
		err = s.Load(context.WithoutCancel(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
