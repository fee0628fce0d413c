package hot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// valuesOf returns the values of members in the set of an owner, which is "" for a global family.
func valuesOf(s *hot.Store, f *hot.Family, owner string, names []string, at time.Time) []float64 {
	if f.Global() {
		return s.Of(names, at, f)[0]
	}
	top := s.Top(f, owner, math.MaxInt, at)
	out := make([]float64, len(names))
	for i, name := range names {
		if k := slices.Index(top.Members, name); k >= 0 {
			out[i] = top.Values[k]
		}
	}
	return out
}

func TestAddIgnores(t *testing.T) {
	s := hot.New()
	long := strings.Repeat("x", event.MaxPath+1)
	for _, w := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0} {
		s.Add(hot.Frequency, "", "a", noon, w)
	}
	s.Add(hot.Frequency, "", "", noon, 1)
	s.Add(hot.Frequency, "", long, noon, 1)
	s.Add(hot.Frequency, "owner", "a", noon, 1)
	s.Add(hot.Comod, "", "a", noon, 1)
	s.Add(hot.Frequency, "", "far", noon.AddDate(280, 0, 0), 1e308)
	s.Add(hot.Frequency, "", "good", noon, 1)
	fault.Same(t, "a and good", fmt.Sprintf("%.9f", s.Of([]string{"a", "good"}, noon, hot.Frequency)[0]), "[0.000000000 1.000000000]")
}

// TestQuestions: a question for no member or no family has no answer, nor has one for the order of a
// family without order.
func TestQuestions(t *testing.T) {
	s := hot.New()
	s.Add(hot.Frequency, "", "a", noon, 1)
	fault.Same(t, "no member", fmt.Sprint(s.Of(nil, noon, hot.Frequency)), "[[]]")
	fault.Same(t, "no family", fmt.Sprintf("%.3f", s.Of([]string{"a"}, noon, nil, hot.Frequency)), "[[] [1.000]]")
	fault.Same(t, "without order", len(s.Top(hot.Frequency, "", 5, noon).Members), 0)
}

// TestQuestionsBesideWriter reads while increments are written; every answer is of one moment.
func TestQuestionsBesideWriter(t *testing.T) {
	s := hot.New()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for ctx.Err() == nil {
				s.Top(hot.Comod, "a", 5, noon)
				a := s.Of([]string{"a", "b"}, noon, hot.Frequency)[0]
				if ahead := a[0] - a[1]; ahead < -1e-9 || ahead > 1+1e-9 {
					t.Errorf("of two moments: %v", a)
				}
			}
		})
	}
	for seq := int64(1); seq <= 200; seq++ {
		s.Add(hot.Frequency, "", "a", noon, 1)
		s.Add(hot.Frequency, "", "b", noon, 1)
		s.Add(hot.Comod, "a", fmt.Sprint(seq), noon, 1)
		if seq%20 == 0 {
			s.Rename(event.Path(fmt.Sprint(seq)), event.Path(fmt.Sprint(seq-1)))
			s.Sweep(noon)
		}
		if seq%50 == 0 {
			if _, err := s.Snapshot(); err != nil {
				t.Error(err)
			}
		}
	}
	cancel()
	wg.Wait()
}

func snapshot(t testing.TB, s *hot.Store) []byte {
	t.Helper()
	data := fault.Must(s.Snapshot())
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
	s := hot.New()
	b := s
	for i, f := range []string{"dir/a.go", "dir/b.go", "new\nline", "\xff\xfe"} {
		at := noon.Add(-time.Duration(i) * 40 * time.Hour)
		b.Stamp(hot.Recency, f, at)
		for _, family := range hot.Families {
			owner := map[hot.Noun]string{hot.NounFile: f, hot.NounTag: "go", hot.NounTerm: "word"}[family.Owner]
			b.Add(family, owner, fmt.Sprint("member", i), at, float64(i-1))
		}
	}
	b.Sweep(noon.Add(-time.Hour))
	return s
}

// TestSnapshot: a store that is restored writes the same bytes, whatever it held before; without a
// snapshot it is empty.
func TestSnapshot(t *testing.T) {
	want := snapshot(t, several(t))
	n := hot.New()
	n.Add(hot.Frequency, "", "before", noon, 1)
	fault.Check(t, n.Restore(want))
	if got := snapshot(t, n); !bytes.Equal(got, want) {
		t.Fatalf("%x\nrestored %x", want, got)
	}
	fault.Check(t, n.Restore(nil))
	if got := snapshot(t, n); !bytes.Equal(got, snapshot(t, hot.New())) {
		t.Errorf("emptied: %x", got)
	}
	for i := range want { // cut anywhere, it is refused
		if err := hot.New().Restore(want[:i]); !errors.Is(err, hot.ErrSnapshot) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	shorten(t, 32)
	if err := hot.New().Restore(want); !errors.Is(err, hot.ErrHalfLives) {
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
		s := hot.New()
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
	s := hot.New()
	for seq := int64(1); seq <= 50; seq++ {
		at := noon.Add(time.Duration(seq) * 365 * 24 * time.Hour)
		for i := range 20 {
			name := string(rune('a'+i)) + at.Format(time.DateOnly)
			s.Add(hot.Frequency, "", name, at, 1)
			s.Add(hot.Coaccess, name, "kept", at, 1)
		}
		s.Add(hot.Frequency, "", "kept", at, 1)
		s.Sweep(at)
		s.Sweep(at)
	}
	if n := len(snapshot(t, s)); n > 5000 {
		t.Errorf("%d bytes are left of 1000 files", n)
	}
}

// TestClockAhead: what was done while the clock ran ahead does not hide what is done once it is right
// again.
func TestClockAhead(t *testing.T) {
	s := hot.New()
	s.Add(hot.Frequency, "", "ahead", noon.Add(20*365*24*time.Hour), 1)
	s.Add(hot.Frequency, "", "a", noon, 1)
	restored := hot.New()
	fault.Check(t, restored.Restore(fault.Must(s.Snapshot())))
	restored.Sweep(noon)
	fault.Same(t, "counted", fmt.Sprintf("%.6f", restored.Of([]string{"a"}, noon, hot.Frequency)[0]), "[1.000000]")
}
