package report

import (
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/prefetch"
)

// Reliability says how accurate predictions were.
type Reliability struct {
	Bars  []Bar  `json:"bars"`  // promised probabilities and how often they came true, in ten groups
	Weeks []Week `json:"weeks"` // one for each week, oldest first, or for each month if there are many weeks
	Month bool   `json:"month"` // whether Weeks are months
}

// Bar holds the predictions whose probability lies in one tenth of the scale.
type Bar struct {
	N    int     `json:"n"`
	P    float64 `json:"p"`    // mean of the promised probabilities
	Used float64 `json:"used"` // share of them that came true
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

// tally collects the promised probabilities and their outcomes.
type tally struct {
	n    [tenths]int
	p    [tenths]float64
	used [tenths]int
	days map[time.Time][2]int // for each day, the numbers of wrong and right predictions
}

// promise adds a probability and whether the prediction came true.
func (t *tally) promise(p float64, right bool) {
	i := min(max(int(p*tenths), 0), tenths-1)
	t.n[i]++
	t.p[i] += p
	if right {
		t.used[i]++
	}
}

// day adds a prediction to the count of its day.
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

// weeks adds the days up to weeks, or to months if there are many. A week without predictions
// between two others is included with zeros.
func (t *tally) weeks() (out []Week, months bool) {
	if len(t.days) == 0 {
		return []Week{}, false
	}
	days := slices.SortedFunc(maps.Keys(t.days), time.Time.Compare)
	first, last := days[0], days[len(days)-1]
	months = last.Sub(first) > mostWeeks*7*24*time.Hour
	begin := func(d time.Time) time.Time { return d.AddDate(0, 0, -(int(d.Weekday())+6)%7) } // the Monday before d
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

// newReliability makes a Reliability of outcomes: the bars count all predicted files, the weeks
// only the files that were shown.
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
