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
	fill(t, n, func(b *hot.Store) { b.Add(hot.Frequency, "", "before", noon, 1) })
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
		fill(t, s, func(b *hot.Store) {
			for i := range 20 {
				name := string(rune('a'+i)) + at.Format(time.DateOnly)
				b.Add(hot.Frequency, "", name, at, 1)
				b.Add(hot.Coaccess, name, "kept", at, 1)
			}
			b.Add(hot.Frequency, "", "kept", at, 1)
			b.Tick(at)
			b.Sweep(at)
		})
	}
	if n := len(snapshot(t, s)); n > 5000 {
		t.Errorf("%d bytes are left of 1000 files", n)
	}
}
