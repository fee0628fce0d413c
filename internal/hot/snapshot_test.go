package hot_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/fault"
)

func snapshot(t testing.TB, s *hot.Store) []byte {
	t.Helper()
	data, err := s.Snapshot()
	fault.Check(t, err)
	return data
}

// shorten makes the half-lives of all families an hour until the test ends, and their sets small. So a few days are
// several epochs.
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
	b := hot.NewBatch()
	for i, f := range []string{"dir/a.go", "dir/b.go", "new\nline", "\xff\xfe"} {
		at := noon.Add(-time.Duration(i) * 40 * time.Hour)
		b.Stamp(hot.Recency, f, at)
		for _, family := range hot.Families {
			owner := map[hot.Noun]string{hot.NounFile: f, hot.NounTag: "go", hot.NounTerm: "word"}[family.Owner]
			b.Add(family, owner, fmt.Sprint("member", i), at, float64(i-1))
		}
	}
	b.Trim(noon.Add(-time.Hour))
	s.Apply(b)
	return s
}

// TestSnapshot: a store that is restored writes the same bytes, whatever it held before; without a snapshot it is empty.
func TestSnapshot(t *testing.T) {
	want := snapshot(t, several(t))
	n := hot.New(nil)
	fill(t, n, func(b *hot.Batch) { b.Add(hot.Frequency, "", "before", noon, 1) })
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
	f.Add(append(whole[:5:5], bytes.Repeat([]byte{0xff}, 64)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 5 {
			data = append(whole[:5:5], data[5:]...) // past the fingerprint, where the faults are
		}
		s := hot.New(nil)
		if s.Restore(data) != nil {
			return
		}
		once := snapshot(t, again(t, s)) // without names that only sets of other epochs refer to
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
		fill(t, s, func(b *hot.Batch) {
			for i := range 20 {
				name := string(rune('a'+i)) + at.Format(time.DateOnly)
				b.Add(hot.Frequency, "", name, at, 1)
				b.Add(hot.Coaccess, name, "kept", at, 1)
			}
			b.Add(hot.Frequency, "", "kept", at, 1)
			b.Trim(at)
			b.Decay(at)
			b.Sweep(at)
		})
	}
	if n := len(snapshot(t, s)); n > 5000 {
		t.Errorf("%d bytes are left of 1000 files", n)
	}
}

// TestTickAfterRestart: the next tick looks at the same sets after a restart as without one. A set that only decayed
// since the last tick keeps its members, and a member that comes again counts on.
func TestTickAfterRestart(t *testing.T) {
	s := hot.New(nil)
	fill(t, s, func(b *hot.Batch) {
		b.Add(hot.Coaccess, "a.go", "b.go", noon, .02)
		for i := range 40 { // more than are read: a tick drops the others when they are worth little
			b.Add(hot.Coaccess, "a.go", fmt.Sprint(i), noon, 1)
		}
	})
	fill(t, s, func(b *hot.Batch) { b.Trim(noon.Add(time.Minute)) })
	restarted := again(t, s)
	later := noon.Add(150 * 24 * time.Hour)
	for _, x := range []*hot.Store{s, restarted} {
		fill(t, x, func(b *hot.Batch) { b.Trim(later) })
		fill(t, x, func(b *hot.Batch) { b.Add(hot.Coaccess, "a.go", "b.go", later, 1) })
	}
	if want, got := oneAt(t, s, hot.Coaccess, "a.go", "b.go", later),
		oneAt(t, restarted, hot.Coaccess, "a.go", "b.go", later); want <= 1 || got != want {
		t.Errorf("after a restart it is worth %v, want %v", got, want)
	}
}
