package eventtest

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSequenceHasEveryKind: every kind of event and every step comes within 1,000, and a seed
// always makes the same.
func TestSequenceHasEveryKind(t *testing.T) {
	for seed := range uint64(10) {
		s := NewSequence(seed)
		events, kinds, steps := s.Events(1000), map[event.Kind]bool{}, map[Step]bool{}
		for _, e := range events {
			kinds[e.Kind()] = true
			steps[s.Step()] = true
		}
		for _, k := range event.Kinds() {
			if !kinds[k] {
				t.Errorf("seed %d: no %s", seed, k)
			}
		}
		for step := Happens; step <= Snapshots; step++ {
			if !steps[step] {
				t.Errorf("seed %d: no step %d", seed, step)
			}
		}
		fault.Same(t, "the sequence again", NewSequence(seed).Events(1000), events)
	}
}
