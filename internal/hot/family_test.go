package hot_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFamilies: the half-life, the size and the nouns of each family, and what a clock that runs
// ahead may say. Other half-lives make other scores: after a change of one, the weights of package
// rank are fitted anew.
func TestFamilies(t *testing.T) {
	text := ""
	for _, f := range hot.Families {
		text += fmt.Sprintf("%s %s keeps %d reads %d, by change %v, of %d has %d, global %v\n", f.Name, f.Span(),
			f.Keep, f.Read, f.ByChange,
			f.Owner, f.Member, f.Global())
	}
	fault.Golden(t, "testdata/families.golden", text)
	for half, want := range map[time.Duration]string{36 * time.Hour: "36h", 90 * time.Second: "90s",
		48 * time.Hour: "2d"} {
		fault.Same(t, half.String(), (&hot.Family{Half: half}).Span(), want)
	}
	const day = 24 * time.Hour
	now := time.Unix(1_800_000_000, 0)
	clock := hot.Clock(func() time.Time { return now })
	for _, c := range []struct {
		ahead, believed time.Duration
		tooFar          bool
	}{{-day, -day, false}, {day, day, false}, {day + time.Second, day, false}, {3 * day, day, false},
		{3*day + time.Second, day, true}} {
		at := hot.Seconds(now.Add(c.ahead))
		fault.Same(t, c.ahead.String(), fmt.Sprint(clock.Believable(at), clock.Ahead(at)),
			fmt.Sprint(hot.Seconds(now.Add(c.believed)), c.tooFar))
		if none := hot.Clock(nil); none.Believable(at) != at || none.Ahead(at) {
			t.Error("without a clock every time is believed")
		}
	}
	// An epoch has 32 half-lives. Of the one before a reader adds what has not decayed by 20.
	f := &hot.Family{Half: time.Second}
	for at, want := range map[float64]string{20: "[0 -1]", 31.9: "[0]", 32: "[1 0]", 52: "[1 0]", 52.1: "[1]",
		64: "[2 1]"} {
		fault.Same(t, fmt.Sprint("epochs at ", at), fmt.Sprint(f.Live(at)), want)
	}
	for at, want := range map[float64]bool{63.9: false, 64: true} {
		fault.Same(t, fmt.Sprint("epoch 0 is past at ", at), f.Past(0, at), want)
	}
	fault.Same(t, "a 1 of epoch 1 an epoch and a half-life later", f.Worth(65, 1)*math.Exp2(33), 1.0)
	for f, want := range map[*hot.Family]float64{hot.Frequency: 1e-6, hot.Coaccess: 1e-6, hot.Comod: .01} {
		fault.Same(t, f.Name+", the least value that is read", fmt.Sprint(f.Unread(want*.99), f.Unread(want*1.01)), "true false")
	}
	stamp := &hot.Family{}
	fault.Same(t, "a stamp", fmt.Sprint(stamp.Live(1e9), stamp.Epoch(1e9), stamp.Worth(1e9, 0), stamp.Past(-5,
		1e9)), "[0] 0 1 false")
}
