package prefetch

import (
	"math"
	"strings"
	"testing"
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
