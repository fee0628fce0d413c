package hot_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
)

func TestBadRecordsAreSkipped(t *testing.T) {
	s := hot.New(nil)
	fill(t, s, 5, func(b *hot.Batch) {
		for _, p := range []string{"a", "b", "c", "d"} {
			b.Add(hot.Frequency, "", p, noon, 1)
		}
	})
	recs := dirty(t, s, false)
	if len(recs) != 5 {
		t.Fatal(recs)
	}
	recs[0].Data = bytes.Clone(recs[0].Data)
	recs[0].Data[12] ^= 1
	recs[1].Data = recs[1].Data[:len(recs[1].Data)-1]
	recs[2].Key = "f:other" // another file's record
	recs = append(recs, hot.Record{Key: "?", Data: []byte("x")}, hot.Record{Key: "f:gone"})
	n := hot.New(nil)
	if err := n.Restore(t.Context(), recs); err != nil {
		t.Fatal(err)
	}
	if n.Size().Skipped != 4 || !near(one(t, n, hot.Frequency, "", "d"), 1) || one(t, n, hot.Frequency, "", "a") != 0 {
		t.Errorf("size is %+v, d is %v", n.Size(), one(t, n, hot.Frequency, "", "d"))
	}
	if files := dirty(t, n, true); len(files) != 2 {
		t.Errorf("it holds %v", files)
	}
	if seq, err := n.Applied(t.Context()); seq != 5 || err != nil {
		t.Errorf("applied is %d, %v", seq, err)
	}
	if again := dirty(t, s, false); len(again) != 1 {
		t.Errorf("still dirty: %v", again)
	}
}

func TestOtherHalfLivesAreRefused(t *testing.T) {
	s := hot.New(nil)
	fill(t, s, 1, func(b *hot.Batch) { b.Add(hot.Frequency, "", "a", noon, 1) })
	recs := dirty(t, s, true)
	shorten(t, 32)
	if err := hot.New(nil).Restore(t.Context(), recs); !errors.Is(err, hot.ErrHalfLives) {
		t.Errorf("restored: %v", err)
	}
}

// TestNamesAreUsedAgain: files that come and go leave nothing behind after a sweep.
func TestNamesAreUsedAgain(t *testing.T) {
	s := hot.New(nil)
	for seq := int64(1); seq <= 50; seq++ {
		at := noon.Add(time.Duration(seq) * 365 * 24 * time.Hour)
		fill(t, s, seq, func(b *hot.Batch) {
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
	live := 0
	for _, r := range dirty(t, s, true) {
		if len(r.Data) > 0 {
			live++
		}
	}
	if ids := hot.IDs(s); live > 200 || ids > 400 {
		t.Errorf("%d records and %d ids are left of 1000 files", live, ids)
	}
}

// TestTickAfterRestart: the next tick looks at the same sets after a restart as without one. A set that only decayed
// since the last tick keeps its members, and a member that comes again counts on.
func TestTickAfterRestart(t *testing.T) {
	s := hot.New(nil)
	fill(t, s, 1, func(b *hot.Batch) {
		b.Add(hot.Coaccess, "a.go", "b.go", noon, .02)
		for i := range 40 { // more than are read: a tick drops the others when they are worth little
			b.Add(hot.Coaccess, "a.go", fmt.Sprint(i), noon, 1)
		}
	})
	records := map[string]hot.Record{}
	keep := func() {
		for _, r := range dirty(t, s, false) {
			records[r.Key] = r
		}
	}
	keep()
	fill(t, s, 2, func(b *hot.Batch) { b.Trim(noon.Add(time.Minute)) })
	keep()
	restarted := hot.New(nil)
	if err := restarted.Restore(t.Context(), slices.Collect(maps.Values(records))); err != nil {
		t.Fatal(err)
	}
	later := noon.Add(150 * 24 * time.Hour)
	for _, x := range []*hot.Store{s, restarted} {
		fill(t, x, 3, func(b *hot.Batch) { b.Trim(later) })
		fill(t, x, 4, func(b *hot.Batch) { b.Add(hot.Coaccess, "a.go", "b.go", later, 1) })
	}
	if want, got := oneAt(t, s, hot.Coaccess, "a.go", "b.go", later),
		oneAt(t, restarted, hot.Coaccess, "a.go", "b.go", later); want <= 1 || got != want {
		t.Errorf("after a restart it is worth %v, want %v", got, want)
	}
}
