package cold

import (
	"context"
	"encoding/json"
	"time"
)

const (
	// oneDay is how far the clock moves until another day of use is counted.
	oneDay = 24 * time.Hour
	// LongestGap is how long a repository may rest before a clock that moved so far is doubted.
	LongestGap = 30 * oneDay
	// trustedDays is how many counted days show a clock to be right: from then on, a day that follows upon the one before
	// may make two pages due, so that what a clock that was ahead has delayed is caught up with.
	trustedDays = 30
)

// Calendar counts the days on which the store was used. Retention asks it, because the time of an event comes from
// some clock, and a wrong clock must not erase the log.
//
// A day is counted when the clock has moved by 24 hours since the last one, however many there were between: a clock that
// leaps by 200 days has moved once. Each counted day ends a page: the batches logged since the page before, and the time
// of its end. Pages become due in the order of the log, when they are older than the retention, and one of them per
// counted day; two from trustedDays on, if the day follows upon the one before. So starting a daemon again and again under
// a wrong clock makes nothing due. A clock that moved by more than LongestGap is doubted, and makes nothing due, until it
// has moved on by a day; one that moved back by a day or more, until it has moved on twice. If it stays as it is, it was
// right, and the log is drained, a page a day.
type Calendar struct {
	Last   int64  `json:"last"`            // unix ms: when the last day was counted
	Steady int    `json:"steady"`          // days counted since the clock leapt; below 1 it is doubted
	Leap   int64  `json:"leap,omitempty"`  // ms that it leapt, as long as it is doubted
	Due    int64  `json:"due,omitempty"`   // the batches up to this one are due
	Keep   int64  `json:"keep,omitempty"`  // ms: the retention under which that was decided
	Pages  []page `json:"pages,omitempty"` // of what is not due, in the order of the log
	moved  bool   // it is not what the store has
}

// page is what was logged between two counted days.
type page struct {
	End int64 `json:"end"` // unix ms
	Seq int64 `json:"seq"` // its last batch
}

// Doubted is how far the clock leapt, negative if back, and 0 once a day of use has shown it to be right.
func (c Calendar) Doubted() time.Duration {
	if c.Steady >= 1 {
		return 0
	}
	return time.Duration(c.Leap) * time.Millisecond
}

// CountDay brings the calendar up to the clock and keeps it. begun says that this process has logged nothing yet: what
// the log holds was then logged within a day of the last count, whatever the clock says now.
func (d *DB) CountDay(ctx context.Context, now time.Time, keep time.Duration, begun bool) (Calendar, error) {
	c, err := d.calendar(ctx, now.UnixMilli())
	if err != nil {
		return c, d.explain("read calendar", err)
	}
	c.count(now.UnixMilli(), d.seq.Load(), keep.Milliseconds(), begun)
	if !c.moved {
		return c, nil
	}
	text, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	return c, d.Write(ctx, "keep calendar", func(tx *Tx) error { return tx.run([]any{metaCalendar, string(text)}, setMeta) })
}

// calendar reads the calendar. A log that has none, of an earlier aoa, gets one from the times of its events.
func (d *DB) calendar(ctx context.Context, now int64) (c Calendar, err error) {
	v, err := d.Meta(ctx, metaCalendar)
	if err != nil {
		return c, err
	}
	if v != "" && json.Unmarshal([]byte(v), &c) == nil {
		return c, nil
	}
	c = Calendar{Last: now, Steady: 1, moved: true}
	// The newest time that was logged by then, and the last batch, of each day that such a time falls on.
	err = d.Each(ctx, `SELECT max(newest), max(seq)
FROM (SELECT seq, max(time) OVER (ORDER BY id) AS newest FROM events WHERE counted IS NULL)
GROUP BY newest / 86400000 ORDER BY 1`, nil, func(row Row) error {
		var newest, seq int64
		err := row.Scan(&newest, &seq)
		c.Last = min(now, newest)
		c.page(c.Last, seq)
		return err
	})
	return c, err
}

// count reads the clock once.
func (c *Calendar) count(now, seq, keep int64, begun bool) {
	const day, gap = int64(oneDay / time.Millisecond), int64(LongestGap / time.Millisecond)
	if keep < c.Keep && c.Steady >= 1 {
		c.release(len(c.Pages), c.Last, keep) // the user wants less to be kept; the clock did not move
	}
	if keep != c.Keep {
		c.Keep, c.moved = keep, true
	}
	past, end := now-c.Last, now
	if begun {
		end = min(now, c.Last+day)
	}
	switch {
	case past <= -day:
		c.Steady, c.Leap = -1, past
	case past < day:
		return
	case past > gap:
		c.Steady, c.Leap = 0, past
	default:
		c.Steady++
	}
	c.page(end, seq)
	c.Last, c.moved = now, true
	switch {
	case c.Steady > trustedDays && past < 2*day:
		c.release(2, now, keep)
	case c.Steady >= 1:
		c.Leap = 0
		c.release(1, now, keep)
	}
}

// page ends a page, unless nothing was logged on it.
func (c *Calendar) page(end, seq int64) {
	last := c.Due
	if n := len(c.Pages); n > 0 {
		last = c.Pages[n-1].Seq
	}
	if seq > last {
		c.Pages = append(c.Pages, page{end, seq})
	}
}

// release makes at most n pages due.
func (c *Calendar) release(n int, now, keep int64) {
	for ; n > 0 && c.old(now, keep); n-- {
		c.Due, c.Pages, c.moved = c.Pages[0].Seq, c.Pages[1:], true
	}
}

// old reports whether the first page is older than is kept. One from the future was written under a wrong clock, before
// the page behind it: that one counts.
func (c *Calendar) old(now, keep int64) bool {
	for _, p := range c.Pages {
		if p.End <= now {
			return p.End <= now-keep
		}
	}
	return false
}
