package hot

import (
	"errors"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// TestServerElsewhere: a batch is refused by a server that was emptied, or that stands at another batch, and Resume
// says from where on the log is to be given again.
func TestServerElsewhere(t *testing.T) {
	m := miniredis.RunT(t)
	s, err := Open(t.Context(), Options{URL: "redis://" + m.Addr(), Repo: "r", Writer: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	add := func(seq int64) error {
		b := s.Batch()
		b.Add(Frequency, "", "a", noon, 1)
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
	if err := add(1); err != nil || !near(one(t, s, Frequency, "", "a"), 1) {
		t.Errorf("after that a is %v, %v", one(t, s, Frequency, "", "a"), err)
	}
}

// TestNotices: others hear of an edit once, the one who told it does not.
func TestNotices(t *testing.T) {
	m := miniredis.RunT(t)
	open := func(writer string) *Store {
		s, err := Open(t.Context(), Options{URL: "redis://" + m.Addr(), Repo: "r", Writer: writer})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	a, b := open("a"), open("b")
	apply(t, a, 1, func(x *Batch) { x.Notice(Notice{File: "x.go", Agent: "claude", At: noon}) })
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
	far, err := Open(t.Context(), Options{URL: "redis://" + m.Addr(), Repo: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	here := openEmbedded(t)
	apply(t, here, 1, func(b *Batch) { b.Add(Frequency, "", "a", noon, 1) })
	apply(t, far, 1, func(b *Batch) { b.Add(Frequency, "", "a", noon, 5) })
	lost := 0
	here.Share(far, func(error) { lost++ })
	if got := one(t, here, Frequency, "", "a"); !near(got, 5) {
		t.Errorf("shared it is %v", got)
	}
	m.Close()
	if got := one(t, here, Frequency, "", "a"); !near(got, 1) || lost != 1 || here.Shared() {
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
