package hot

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestSetsAreBoundedBetweenTicks opens 5,000 files one after the other under one word, in one hour.
func TestSetsAreBoundedBetweenTicks(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := New(nil)
	f, most := TermFiles, max(crowded, 4*TermFiles.Keep)
	largest := 0
	for i := range 5000 {
		b := NewBatch()
		b.Add(f, "word", "often", noon, 1)
		b.Add(f, "word", fmt.Sprint("f", i), noon, .1)
		s.Apply(b)
		key := ownedKey{f.index, f.Epoch(Seconds(noon)), s.names[NounTerm].find("word")}
		largest = max(largest, len(s.owned(key)))
		if set := s.owned(key); len(set) > most || cap(set) > 2*most {
			t.Fatalf("after %d files the set has %d members and room for %d", i+1, len(set), cap(set))
		}
	}
	fault.Same(t, "members of the largest set", largest, most)
	v := s.View(noon)
	top := v.Top(f, "word", 1)
	fault.Check(t, v.Load(t.Context()))
	fault.Same(t, "file opened most", fmt.Sprint(top.Members), "[often]")
}

// TestTrimmedSetsGiveTheirMemoryBack fills a set by an import, which nothing bounds until the tick.
func TestTrimmedSetsGiveTheirMemoryBack(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := New(nil)
	b := NewBatch()
	b.Cap(5000)
	for i := range 5000 {
		b.Add(Comod, "a", fmt.Sprint("f", i), noon, 1)
	}
	s.Apply(b)
	key := ownedKey{Comod.index, Comod.Epoch(Seconds(noon)), s.names[NounFile].find("a")}
	fault.Same(t, "partners before the tick", len(s.owned(key)), 5000)
	b = NewBatch()
	b.Trim(noon)
	s.Apply(b)
	if set := s.owned(key); len(set) != Comod.Keep || cap(set) > 2*Comod.Keep {
		t.Errorf("after the tick the set has %d members and room for %d", len(set), cap(set))
	}
}
