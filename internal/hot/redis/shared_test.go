package redis

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/aoa-dev/aoa/internal/hot"
)

// TestServerElsewhere: a batch is refused by a server that was emptied, or that stands at another batch, and Resume
// says from where on the log is to be given again.
func TestServerElsewhere(t *testing.T) {
	m := miniredis.RunT(t)
	s := openAt(t, m, Options{Writer: "w"})
	add := func(seq int64) error {
		b := s.Batch()
		b.Add(hot.Frequency, "", "a", noon, 1)
		return s.Apply(t.Context(), b, seq)
	}
	for seq := range int64(3) {
		if err := add(seq + 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Set(s.keys.applied("w"), "2"); err != nil { // a fail-over lost the newest batch
		t.Fatal(err)
	}
	if err := add(4); !errors.Is(err, ErrMark) {
		t.Fatalf("a batch was skipped: %v", err)
	}
	if err := s.Resume(t.Context()); err != nil || s.applied != 2 {
		t.Fatalf("resumed at %d, %v", s.applied, err)
	}
	if err := add(3); err != nil {
		t.Fatal(err)
	}
	before := s.Epoch()
	m.FlushAll()
	if err := add(4); !errors.Is(err, ErrEpoch) {
		t.Fatalf("an emptied server took a batch: %v", err)
	}
	if _, err := s.Claim(t.Context(), 4, []Claim{{ID: "c"}}); !errors.Is(err, ErrEpoch) {
		t.Fatalf("an emptied server took a claim: %v", err)
	}
	if err := s.Resume(t.Context()); err != nil || s.applied != 0 || s.Epoch() == before {
		t.Fatalf("resumed at %d, epoch %s, %v", s.applied, s.Epoch(), err)
	}
	if err := add(1); err != nil || !near(one(t, s, hot.Frequency, "", "a"), 1) {
		t.Errorf("after that a is %v, %v", one(t, s, hot.Frequency, "", "a"), err)
	}
}

// TestNotices: others hear of an edit once, its own daemon does not.
func TestNotices(t *testing.T) {
	m := miniredis.RunT(t)
	a, b := openAt(t, m, Options{Writer: "a"}), openAt(t, m, Options{Writer: "b"})
	apply(t, a, 1, func(x *hot.Batch) { x.Notice(hot.Notice{File: "x.go", Agent: "claude", At: noon}) })
	heard, last, err := b.Notices(t.Context(), "")
	if err != nil || len(heard) != 1 || heard[0].File != "x.go" || !heard[0].At.Equal(noon) || heard[0].Writer != "a" {
		t.Fatalf("heard %+v, %v", heard, err)
	}
	if again, _, err := b.Notices(t.Context(), last); err != nil || len(again) != 0 {
		t.Errorf("heard again: %+v, %v", again, err)
	}
	if own, _, err := a.Notices(t.Context(), ""); err != nil || len(own) != 0 {
		t.Errorf("heard itself: %+v, %v", own, err)
	}
}

// TestShareFallsBack: a view of a store whose server is gone is answered from the store itself.
func TestShareFallsBack(t *testing.T) {
	m := miniredis.RunT(t)
	remote, err := Open(t.Context(), Options{URL: "redis://" + m.Addr(), Repo: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer remote.Close()
	here, err := hot.New(hot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, here, 1, func(b *hot.Batch) { b.Add(hot.Frequency, "", "a", noon, 1) })
	apply(t, remote, 1, func(b *hot.Batch) { b.Add(hot.Frequency, "", "a", noon, 5) })
	lost := 0
	here.Share(remote, func(error) { lost++ })
	if got := one(t, here, hot.Frequency, "", "a"); !near(got, 5) {
		t.Errorf("shared it is %v", got)
	}
	m.Close()
	if got := one(t, here, hot.Frequency, "", "a"); !near(got, 1) || lost != 1 || here.Shared() {
		t.Errorf("alone it is %v, lost %d times", got, lost)
	}
}

// TestCheckNames: what an access list refuses is named.
func TestCheckNames(t *testing.T) {
	addr := Serve(t, "redis-server")
	rights := strings.ReplaceAll(strings.Join(Rights, " "), "+zmscore ", "")
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
	if err != nil || len(lacks) != 1 || lacks[0].What != "ZMSCORE" || !lacks[0].Harms {
		t.Errorf("lacks are %v, %v", lacks, err)
	}
}

// TestApplyResumes cuts a large batch short and gives it again: the steps that were in are not repeated.
func TestApplyResumes(t *testing.T) {
	s := openMini(t, Options{})
	fill := func(b *hot.Batch) {
		for i := range 3 * wordsPerStep {
			b.Add(hot.Frequency, "", fmt.Sprint("f", i%(wordsPerStep+7)), noon, 1)
			b.Add(hot.Comod, fmt.Sprint("o", i%50), fmt.Sprint("f", i), noon, 1)
		}
	}
	b := s.Batch()
	fill(b)
	r, err := b.Resolve(s.table)
	if err != nil {
		t.Fatal(err)
	}
	w := &writes{store: s, ctx: t.Context(), seq: 1}
	s.latest = r.Newest
	for _, c := range r.Sets[:20] { // the first steps of Apply, and then the process is gone
		w.increment(c)
	}
	if s.step == 0 {
		t.Fatal("no step was made")
	}
	apply(t, s, 1, fill)
	if got := one(t, s, hot.Frequency, "", "f0"); !near(got, 3) {
		t.Errorf("frequency is %v", got)
	}
	if got := one(t, s, hot.Comod, "o1", "f1"); !near(got, 1) {
		t.Errorf("co-change is %v", got)
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
}

// TestNothingIsLeft: no key stays of an epoch that nobody reads, or of a session that is over.
func TestNothingIsLeft(t *testing.T) {
	s := openMini(t, Options{Options: hot.Options{Half: map[string]time.Duration{"comod": time.Hour, "scores:frequency": time.Hour}}})
	f := s.table.Of(hot.Comod)
	for i := range 5 {
		at := noon.Add(time.Duration(i) * 32 * time.Hour)
		apply(t, s, int64(i+1), func(b *hot.Batch) {
			b.Add(hot.Comod, "a", "b", at, 1)
			b.Add(hot.Frequency, "", "a", at, 1)
			b.Add(hot.Comod, "a", "late", at.Add(-64*time.Hour), 1)
			b.Session("s").File("a", 1, at.Add(-hot.SessionLife)).Set(hot.FieldAgent, "x")
			b.Trim(at)
		})
		k := f.Epoch(hot.Seconds(at))
		keys, err := s.scan(t.Context(), s.keys.family(f))
		if err != nil || len(keys) == 0 || len(keys) > 2 || keys[len(keys)-1] != fmt.Sprintf("%d:a", k) {
			t.Fatalf("epoch %d: keys %q, %v", k, keys, err)
		}
		if keys, err := s.scan(t.Context(), s.keys.sessions()); len(keys) != 0 || err != nil {
			t.Fatalf("sessions left behind: %q, %v", keys, err)
		}
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

func openMini(t *testing.T, o Options) *Store { return openAt(t, miniredis.RunT(t), o) }

func openAt(t *testing.T, m *miniredis.Miniredis, o Options) *Store {
	t.Helper()
	o.URL, o.Repo = "redis://"+m.Addr(), "r"
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
