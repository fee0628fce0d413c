package prefetch

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func FuzzThreshold(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 0, 0, 0, 0}, .6, .0)
	f.Add([]byte{1, 1, 1, 1, 1, 1}, math.NaN(), math.Inf(1))
	f.Add([]byte(strings.Repeat("\x00", 300)), .9, -1.)
	f.Fuzz(func(t *testing.T, outcomes []byte, base, offset float64) {
		base = clamp(base)
		now := 0.0
		for i, o := range outcomes {
			now = drift(now, step(o&1 == 1, targetPrecision), base)
			if th := theta(base, now, offset, i%5); !(th >= Floor && th <= Ceiling) {
				t.Fatalf("threshold %v outside [%v,%v]: base %v, drift %v, offset %v", th, Floor, Ceiling, base, now, offset)
			}
		}
	})
}

// In the long run the share of used files is the target, whatever the scores promise.
func TestControlledQuantileFindsItsTarget(t *testing.T) {
	now, used, shown := 0.0, 0, 0
	for i := range 200_000 {
		u := float64((i*7919)%1000) / 1000 // a file whose true probability is u, and whose score is u as well
		if u < theta(Balanced, now, 0, 0) {
			continue
		}
		hit := float64((i*104_729)%997)/997 < u
		now = drift(now, step(hit, targetPrecision), Balanced)
		if i > 20_000 {
			shown++
			if hit {
				used++
			}
		}
	}
	if share := float64(used) / float64(shown); math.Abs(share-targetPrecision) > .02 {
		t.Errorf("%.3f of %d shown files were used, want %.2f", share, shown, targetPrecision)
	}
}

func FuzzDecodeSession(f *testing.F) {
	full := session{Open: []openPrediction{{ID: "a", Kind: Next, Arm: Shown, Left: 3, Files: []file{{Path: "x.go", P: .7}}}},
		Past: []string{mark("a", Next, Shown, "x.go")}, HintAt: map[string]int64{"a": 5}, Ignored: 2, Offset: .05, Last: 9}
	f.Add(full.encode())
	f.Add("")
	f.Add(`{"v":1,"offset":1e300,"open":[{"left":-5}]}`)
	f.Add(`{"v":2}`)
	f.Fuzz(func(t *testing.T, data string) {
		s := decodeSession(data)
		once := s.encode()
		if again := decodeSession(once).encode(); again != once {
			t.Fatalf("%q decodes to %q, then to %q", data, once, again)
		}
		s.opened(event.Event{Kind: event.KindRead, Paths: []event.Path{"x.go"}}, true)
		s.committed(event.Event{Kind: event.KindCommit, Paths: []event.Path{"x.go"}})
		s.prompted()
		s.suggest(event.Event{ID: "n", Tool: "next", Why: "shown", Paths: []event.Path{"y.go"}, Scores: []float64{math.NaN()}})
		s.settle(event.Event{Cause: "n", Paths: []event.Path{"y.go"}})
		s.sweep()
		if len(s.Open) > maxOpen+1 || len(s.Past) > maxPast || !json.Valid([]byte(s.encode())) {
			t.Fatalf("%d predictions, %d past, form %q", len(s.Open), len(s.Past), s.encode())
		}
	})
}
