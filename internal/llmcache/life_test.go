package llmcache

import (
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// living lists the sessions that have something.
func living(t *testing.T, c *Cache) string {
	t.Helper()
	ids, err := c.Sessions(t.Context())
	fault.Check(t, err)
	return strings.Join(ids, " ")
}

func sweep(t *testing.T, c *Cache) string {
	t.Helper()
	gone, err := c.o.Blobs.Sweep(t.Context())
	fault.Check(t, err)
	var names []string
	for _, e := range gone {
		if e.Owner != "items" {
			continue
		}
		names = append(names, e.Session)
	}
	return strings.Join(names, " ")
}

// TestItemsOutliveTheirSession: items stay for a day after the last event of their session,
// whichever that was.
func TestItemsOutliveTheirSession(t *testing.T) {
	clock := newClock()
	c, apply := newLived(t, clock)
	write(t, c, "s", Item{Data: []byte("data")})
	clock.pass(time.Hour)
	apply(event.KindEnd, "s", "clear")
	clock.pass(life - time.Second)
	fault.Same(t, "swept a second before its time", sweep(t, c), "")
	apply(event.KindStart, "s", "resume")
	clock.pass(2 * time.Second)
	fault.Same(t, "swept although it was resumed", sweep(t, c), "")
	apply(event.KindEnd, "s", "resume")
	clock.pass(life)
	fault.Same(t, "swept", sweep(t, c), "s")
	fault.Same(t, "left", living(t, c), "")
	labels, _, err := c.List(t.Context(), Filter{})
	fault.Check(t, err)
	fault.Same(t, "labels", len(labels), 0)
	apply(event.KindEnd, "nobody", "other")
}

// TestLeftForGood: the items of a session that a person left for good are deleted, those of others
// and those that it sets aside later are not, however often they are asked for.
func TestLeftForGood(t *testing.T) {
	for _, reason := range []string{"logout", "exit", "prompt_input_exit", "clear", "resume", "other"} {
		clock := newClock()
		c, apply := newLived(t, clock)
		write(t, c, "s", Item{Data: []byte("data")})
		write(t, c, "other", Item{Data: []byte("data")})
		clock.pass(time.Minute)
		apply(event.KindEnd, "s", reason)
		want := "other s"
		if reason == "logout" || reason == "exit" || reason == "prompt_input_exit" {
			want = "other"
		}
		fault.Same(t, "left after "+reason, living(t, c), want)
		clock.pass(time.Minute)
		apply(event.KindStart, "s", "resume")
		write(t, c, "s", Item{Data: []byte("data")})
		apply(event.KindStart, "other", "resume")
		fault.Same(t, "left after it was resumed", living(t, c), "other s")
		c.left = nil // a restart
		apply(event.KindStart, "other", "resume")
		fault.Same(t, "left after a restart", living(t, c), "other s")
	}
}

// TestOrphans: a session that crashed is swept a day after its last use, whichever use that was.
func TestOrphans(t *testing.T) {
	clock := newClock()
	heard := map[string]time.Time{}
	c := open(t, cold.BlobOptions{Now: clock.now}, Options{Newest: func(s string) time.Time { return heard[s] }})
	key := ""
	for _, s := range []string{"written", "read", "listed", "heard", "idle"} {
		l := write(t, c, s, Item{Data: []byte("data")})[0]
		if s == "read" {
			key = l.Key
		}
	}
	clock.pass(life - time.Minute)
	fault.Same(t, "swept", sweep(t, c), "")
	write(t, c, "written", Item{})
	_, err := c.Read(t.Context(), key, Cut{Limit: 1})
	fault.Check(t, err)
	_, _, err = c.List(t.Context(), Filter{Session: "listed"})
	fault.Check(t, err)
	heard["heard"] = clock.now()
	clock.pass(time.Minute)
	fault.Same(t, "swept", sweep(t, c), "idle")
	fault.Same(t, "left", len(strings.Fields(living(t, c))), 4)
	clock.pass(life - time.Minute)
	fault.Same(t, "swept a day later", len(strings.Fields(sweep(t, c))), 4)
	fault.Same(t, "left", living(t, c), "")
}

// TestClockAhead: what a session set aside under a clock that ran ahead goes a day after the clock
// is right again.
func TestClockAhead(t *testing.T) {
	clock := newClock()
	c := newTest(t, clock, 0)
	const years = 12 * 365 * 24 * time.Hour
	clock.pass(years)
	write(t, c, "s", Item{Data: []byte("data")})
	clock.pass(-years)
	fault.Same(t, "swept at once", sweep(t, c), "")
	clock.pass(life - time.Second)
	fault.Same(t, "swept before its time", sweep(t, c), "")
	clock.pass(time.Second)
	fault.Same(t, "swept", sweep(t, c), "s")
}
