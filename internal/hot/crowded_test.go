package hot

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSetsAreBoundedBetweenTicks opens 5,000 files one after the other under one word, in one hour.
// What a tick leaves has no room for what is gone.
func TestSetsAreBoundedBetweenTicks(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := New(nil)
	f, largest := TermFiles, 0
	owned := func() set { return s.sets[f.index][f.Epoch(Seconds(noon))].owned[s.names[NounTerm].find("word")] }
	for i := range 5000 {
		s.Add(f, "word", "often", noon, 1)
		s.Add(f, "word", fmt.Sprint("f", i), noon, .1)
		if largest = max(largest, len(owned())); cap(owned()) > 4*f.Keep {
			t.Fatalf("after %d files the set has %d members and room for %d", i+1, len(owned()), cap(owned()))
		}
	}
	fault.Same(t, "members of the largest set", largest, 2*f.Keep)
	v := s.View(noon)
	top := v.Top(f, "word", 1)
	fault.Check(t, v.Load(t.Context()))
	fault.Same(t, "file opened most", fmt.Sprint(top.Members), "[often]")
	s.Tick(noon)
	fault.Same(t, "members and room after the tick", fmt.Sprint(len(owned()), cap(owned())), fmt.Sprint(f.Keep, f.Keep))
}
