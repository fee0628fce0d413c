package hot_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func snapshot(t testing.TB, s *hot.Store) []byte {
	t.Helper()
	data, err := s.Snapshot()
	fault.Check(t, err)
	return data
}

// shorten makes the half-lives of all families an hour until the test ends, and their sets small.
// So a few days are several epochs.
func shorten(t *testing.T, keep int) {
	t.Helper()
	for _, f := range hot.Families {
		before := *f
		t.Cleanup(func() { *f = before })
		if f.Half > 0 {
			f.Half = time.Hour
		}
		f.Keep, f.Read = min(f.Keep, keep), min(f.Read, keep)
	}
}

// several makes a store with something of everything.
func several(t testing.TB) *hot.Store {
	s := hot.New(nil)
	b := s
	for i, f := range []string{"dir/a.go", "dir/b.go", "new\nline", "\xff\xfe"} {
		at := noon.Add(-time.Duration(i) * 40 * time.Hour)
		b.Stamp(hot.Recency, f, at)
		for _, family := range hot.Families {
			owner := map[hot.Noun]string{hot.NounFile: f, hot.NounTag: "go", hot.NounTerm: "word"}[family.Owner]
			b.Add(family, owner, fmt.Sprint("member", i), at, float64(i-1))
		}
	}
	b.Tick(noon.Add(-time.Hour))
	return s
}

// TestSnapshot: a store that is restored writes the same bytes, whatever it held before; without a
// snapshot it is empty.
func TestSnapshot(t *testing.T) {
	want := snapshot(t, several(t))
	n := hot.New(nil)
	n.Add(hot.Frequency, "", "before", noon, 1)
	fault.Check(t, n.Restore(want))
	if got := snapshot(t, n); !bytes.Equal(got, want) {
		t.Fatalf("%x\nrestored %x", want, got)
	}
	fault.Check(t, n.Restore(nil))
	if got := snapshot(t, n); !bytes.Equal(got, snapshot(t, hot.New(nil))) {
		t.Errorf("emptied: %x", got)
	}
	for i := range want { // cut anywhere, it is refused
		if err := hot.New(nil).Restore(want[:i]); !errors.Is(err, hot.ErrSnapshot) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	shorten(t, 32)
	if err := hot.New(nil).Restore(want); !errors.Is(err, hot.ErrHalfLives) {
		t.Errorf("restored under other half-lives: %v", err)
	}
}

// FuzzRestore: what can be restored is written and restored to the same bytes.
func FuzzRestore(f *testing.F) {
	whole := snapshot(f, several(f))
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(bytes.Replace(whole, []byte("Members"), []byte("Scores\x00"), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := hot.New(nil)
		if s.Restore(data) != nil {
			return
		}
		once := snapshot(t, again(t, s))
		if !bytes.Equal(once, snapshot(t, again(t, again(t, s)))) {
			t.Fatal("the snapshot is not stable")
		}
	})
}

// TestNamesAreUsedAgain: files that come and go leave nothing behind after a sweep.
func TestNamesAreUsedAgain(t *testing.T) {
	s := hot.New(nil)
	for seq := int64(1); seq <= 50; seq++ {
		at := noon.Add(time.Duration(seq) * 365 * 24 * time.Hour)
		for i := range 20 {
			name := string(rune('a'+i)) + at.Format(time.DateOnly)
			s.Add(hot.Frequency, "", name, at, 1)
			s.Add(hot.Coaccess, name, "kept", at, 1)
		}
		s.Add(hot.Frequency, "", "kept", at, 1)
		s.Tick(at)
		s.Sweep(at)
	}
	if n := len(snapshot(t, s)); n > 5000 {
		t.Errorf("%d bytes are left of 1000 files", n)
	}
}

// TestClockAhead: what was stamped under a clock that ran ahead is not the newest for ever once the
// clock is right again.
func TestClockAhead(t *testing.T) {
	clock := noon
	s := hot.New(func() time.Time { return clock })
	at := func(seq int64, files ...string) {
		t.Helper()
		for _, f := range files {
			s.Stamp(hot.Recency, f, clock)
		}
	}
	at(1, "a", "both")
	clock = noon.Add(200 * 24 * time.Hour)
	at(2, "ahead", "both")
	at(3, "b")
	clock = noon.Add(time.Hour)
	at(4, "b", "both")
	s.Tick(clock)
	saved, err := s.Snapshot()
	fault.Check(t, err)
	if err := hot.New(func() time.Time { return clock }).Restore(saved); !errors.Is(err, hot.ErrAhead) {
		t.Errorf("a snapshot made while the clock ran ahead is restored: %v", err)
	}
	v := s.View(clock)
	top, some := v.Top(hot.Recency, "", 10), v.Of(hot.Recency, []string{"a", "both", "ahead"})
	fault.Check(t, v.Load(t.Context()))
	fault.Same(t, "the newest", fmt.Sprint(top.Members), "[b both a]")
	fault.Same(t, "stamps", some.Value, []float64{hot.Seconds(noon), hot.Seconds(clock), 0})
}
