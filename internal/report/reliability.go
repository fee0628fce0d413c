package report

import (
	"time"

	"github.com/aoa-dev/aoa/prefetch"
)

// Reliability is how right predictions were.
type Reliability struct {
	Bars  []Bar  `json:"bars"`  // what was promised and what came true, in tenths
	Weeks []Week `json:"weeks"` // by week, oldest first; by month where they are many
	Month bool   `json:"month"` // Weeks are months
}

// Bar is the promises of one tenth.
type Bar struct {
	N    int     `json:"n"`
	P    float64 `json:"p"`    // mean promise
	Used float64 `json:"used"` // share that came true
}

// Week counts the predictions of one week or month.
type Week struct {
	From  time.Time `json:"from"`
	Right int       `json:"right"`
	Wrong int       `json:"wrong"`
}

const (
	mostWeeks = 52
	tenths    = 10
)

// tally gathers promises.
type tally struct {
	n    [tenths]int
	p    [tenths]float64
	used [tenths]int
	days map[time.Time][2]int // day → wrong, right
}

// promise counts a probability and whether it came true.
func (t *tally) promise(p float64, right bool) {
	i := min(max(int(p*tenths), 0), tenths-1)
	t.n[i]++
	t.p[i] += p
	if right {
		t.used[i]++
	}
}

// day counts a prediction by its time.
func (t *tally) day(at time.Time, right bool) {
	if t.days == nil {
		t.days = map[time.Time][2]int{}
	}
	day := at.UTC().Truncate(24 * time.Hour)
	n := t.days[day]
	if right {
		n[1]++
	} else {
		n[0]++
	}
	t.days[day] = n
}

func (t *tally) reliability() Reliability {
	r := Reliability{Bars: []Bar{}}
	for i, n := range t.n {
		if n > 0 {
			r.Bars = append(r.Bars, Bar{N: n, P: t.p[i] / float64(n), Used: float64(t.used[i]) / float64(n)})
		}
	}
	r.Weeks, r.Month = t.weeks()
	return r
}

// weeks sums the days up. A week without predictions between two others is one of nothing.
func (t *tally) weeks() (out []Week, months bool) {
	if len(t.days) == 0 {
		return []Week{}, false
	}
	var first, last time.Time
	for d := range t.days {
		if first.IsZero() || d.Before(first) {
			first = d
		}
		if d.After(last) {
			last = d
		}
	}
	months = last.Sub(first) > mostWeeks*7*24*time.Hour
	begin := func(d time.Time) time.Time { return d.AddDate(0, 0, -(int(d.Weekday())+6)%7) } // Monday
	next := func(d time.Time) time.Time { return d.AddDate(0, 0, 7) }
	if months {
		begin = func(d time.Time) time.Time { return d.AddDate(0, 0, 1-d.Day()) }
		next = func(d time.Time) time.Time { return d.AddDate(0, 1, 0) }
	}
	place := map[time.Time]int{}
	for d := begin(first); !d.After(last); d = next(d) {
		place[d] = len(out)
		out = append(out, Week{From: d})
	}
	for d, n := range t.days {
		w := &out[place[begin(d)]]
		w.Wrong, w.Right = w.Wrong+n[0], w.Right+n[1]
	}
	return out, months
}

// newReliability reads outcomes: those of all files that were predicted for the bars, those of
// files that were shown for the weeks.
func newReliability(outcomes []prefetch.Outcome) *Reliability {
	var t tally
	for _, o := range outcomes {
		t.promise(o.P, o.Used)
		if o.Status == prefetch.Shown {
			t.day(o.At, o.Used)
		}
	}
	r := t.reliability()
	if len(r.Bars) == 0 {
		return nil
	}
	return &r
}
