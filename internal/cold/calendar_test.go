package cold

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

const kept = 180 * oneDay

// user is somebody who works with one store under a clock that may be wrong.
type user struct {
	*testing.T
	d   *DB
	now time.Time // what the clock says
	n   int       // starts so far
}

func newUser(t *testing.T) *user {
	u := &user{T: t, d: newTest(t), now: noon}
	must(t, u.d.SaveSnapshot(t.Context(), 1<<40, nil, true)) // of all that will ever be logged: all may be pruned
	return u
}

// day begins a daemon, logs one event under that name, and ends it.
func (u *user) day(name string) {
	u.Helper()
	u.n++
	u.start()
	mustAppend(u.T, u.d, read(fmt.Sprint(name, ":", u.n), u.now, "s", "x.go"))
}

func (u *user) start() {
	u.Helper()
	c, err := u.d.CountDay(u.Context(), u.now, kept, true)
	must(u.T, err)
	_, err = u.d.Prune(u.Context(), c.Due, 0, math.MaxInt64)
	must(u.T, err)
}

// days is n days of use, so far apart.
func (u *user) days(name string, n int, apart time.Duration) {
	u.Helper()
	for range n {
		u.day(name)
		u.now = u.now.Add(apart)
	}
}

// left is how many events of that name the log has.
func (u *user) left(name string) (n int) {
	u.Helper()
	for _, e := range u.log() {
		if strings.HasPrefix(e, name+":") {
			n++
		}
	}
	return n
}

func (u *user) log() (ids []string) {
	u.Helper()
	events, err := u.d.Log(u.Context(), LogFilter{Oldest: true, Limit: 100_000})
	must(u.T, err)
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

func (u *user) want(what, name string, least, most int) {
	u.Helper()
	if n := u.left(name); n < least || n > most {
		u.Errorf("%s: %d events are left of %q, want %d to %d", what, n, name, least, most)
	}
}

// TestRetention: under a right clock an event stays for the retention, and goes soon after, however often it is used.
func TestRetention(t *testing.T) {
	for _, apart := range []time.Duration{oneDay, 3 * oneDay, 7 * oneDay, 25 * oneDay} {
		u := newUser(t)
		u.days("x", int(2*kept/apart), apart)
		within := int(kept / apart)
		u.want(fmt.Sprintf("every %s", apart), "x", within, within+2)
	}
	u := newUser(t)
	u.days("before", 100, oneDay)
	u.now = u.now.Add(300 * oneDay)
	u.day("back")
	u.want("the first day after a long rest", "before", 100, 100)
	u.now = u.now.Add(oneDay)
	u.days("back", 99, oneDay)
	u.want("the hundredth day after a long rest", "before", 0, 2)
	u.want("the hundredth day after a long rest", "back", 100, 100)
}

// TestWrongClock: no clock erases the log, however often a daemon starts under it.
func TestWrongClock(t *testing.T) {
	for _, leap := range []time.Duration{29 * oneDay, 200 * oneDay, 12 * 365 * oneDay} {
		u := newUser(t)
		u.days("x", 179, oneDay)
		all := u.left("x")
		u.now = u.now.Add(leap)
		for range 100 {
			u.day("wrong")
			u.now = u.now.Add(time.Minute)
		}
		u.want(fmt.Sprintf("100 starts at a clock %s ahead", leap), "x", all-1, all)
		u.now = u.now.Add(-leap)
		u.days("right", 20, time.Hour)
		u.want(fmt.Sprintf("back from %s", leap), "x", all-1, all)
		u.want(fmt.Sprintf("back from %s", leap), "wrong", 100, 100)
		u.days("right", 200, oneDay)
		u.want(fmt.Sprintf("200 days after %s", leap), "wrong", 0, 0)
		u.want(fmt.Sprintf("200 days after %s", leap), "right", 180, 184)
	}
	for _, leap := range []time.Duration{40 * oneDay, 12 * 365 * oneDay} {
		u := newUser(t)
		u.days("x", 10, oneDay)
		u.now = u.now.Add(-leap)
		u.days("wrong", 20, time.Hour)
		u.now = u.now.Add(leap)
		u.days("right", 40, oneDay)
		u.want(fmt.Sprintf("a clock %s behind", leap), "x", 10, 10)
		u.want(fmt.Sprintf("a clock %s behind", leap), "wrong", 20, 20)
		u.days("right", 200, oneDay)
		u.want(fmt.Sprintf("200 days after %s behind", leap), "wrong", 0, 0)
		u.want(fmt.Sprintf("200 days after %s behind", leap), "right", 180, 184)
	}
	u := newUser(t)
	u.days("x", 175, oneDay)
	for range 100 {
		u.now = u.now.Add(200 * oneDay)
		u.day("wrong")
		u.now = u.now.Add(-200 * oneDay)
		u.day("right")
		u.now = u.now.Add(20 * oneDay)
		u.day("wrong")
		u.now = u.now.Add(-20 * oneDay)
		u.day("right")
	}
	u.want("a clock that goes to and fro", "x", 174, 175)
}

// TestWrongClockForDays: a clock that is wrong for a week costs no more than a day's events for each further day; one that
// is wrong for good was right.
func TestWrongClockForDays(t *testing.T) {
	u := newUser(t)
	u.days("x", 100, oneDay)
	u.now = u.now.Add(200 * oneDay)
	u.days("ahead", 7, oneDay)
	u.want("a week at a clock that is ahead", "x", 94, 100)
	u.now = u.now.Add(-200 * oneDay)
	u.days("right", 81, oneDay)
	u.want("the events of the first weeks are as old as they may be", "x", 90, 94)
	u.days("right", 200, oneDay)
	u.want("events from the future", "ahead", 0, 0)
	u.want("and what came after them", "right", 180, 188)

	u = newUser(t)
	u.days("x", 100, oneDay)
	u.now = u.now.Add(200 * oneDay)
	u.days("on", 100, oneDay)
	u.want("a clock that stays ahead", "x", 0, 0)
}

// TestNewStoreWrongClock: the store was made before the machine knew the time.
func TestNewStoreWrongClock(t *testing.T) {
	u := newUser(t)
	u.now = noon.Add(-50 * 365 * oneDay)
	u.days("early", 5, time.Hour)
	u.now = noon
	u.day("right")
	u.want("the clock is set", "early", 5, 5)
	u.now = u.now.Add(oneDay)
	u.days("right", 400, oneDay)
	u.want("in the end", "early", 0, 0)
	u.want("in the end", "right", 180, 182)
}

// TestRetentionLowered: who lowers the retention sees what is older go, not a day's events a day.
func TestRetentionLowered(t *testing.T) {
	u := newUser(t)
	u.days("x", 100, oneDay)
	c, err := u.d.CountDay(t.Context(), u.now, 10*oneDay, true)
	must(t, err)
	_, err = u.d.Prune(t.Context(), c.Due, 0, math.MaxInt64)
	must(t, err)
	u.want("retention of 10 days", "x", 9, 11)
}

// TestCalendarOfOldLog: a log that has no calendar gets one of the times that it tells, which may be wrong in part.
func TestCalendarOfOldLog(t *testing.T) {
	u := newUser(t)
	u.days("x", 150, oneDay)
	u.now = u.now.Add(365 * oneDay)
	u.day("wrong")
	u.now = u.now.Add(-365 * oneDay)
	u.days("x", 20, oneDay)
	must(t, u.d.Write(t.Context(), "drop calendar", func(tx *Tx) error { return tx.run([]any{metaCalendar, ""}, setMeta) }))
	for range 5 {
		u.day("today")
	}
	u.want("before and after", "x", 170, 170)
	u.now = u.now.Add(200 * oneDay)
	for range 5 {
		u.day("ahead")
	}
	u.want("an old log, a wrong clock", "x", 170, 170)
	u.now = u.now.Add(-200 * oneDay)
	u.days("right", 300, oneDay)
	u.want("in the end", "x", 0, 0)
}
