package team

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestNewcomer: who joins gets the whole stream, learns from it, and then knows what every other newcomer knows.
func TestNewcomer(t *testing.T) {
	NeedServer(t, "redis-server")
	x := newCrew(t, "redis://"+Serve(t, "redis-server"), 0)
	c, n := x.client(), 200_000
	origins := []string{rand.Text(), rand.Text(), rand.Text(), rand.Text()}
	for from := 0; from < n; from += 10_000 {
		_, err := c.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			for i := from; i < from+10_000; i++ {
				raw, _ := encode(opened(i), origins[i%4], true)
				p.XAdd(t.Context(), &redis.XAddArgs{Stream: "aoa:{" + x.repo + "}:events", Values: []any{field, raw}})
			}
			return nil
		})
		fault.Check(t, err)
	}
	for range 2 {
		m := x.join(func(m *member) { m.learner, m.sessions = learn.New(hot.New(nil)), session.New() })
		begin := time.Now()
		fault.Until(t, time.Minute, "a newcomer has all", func() bool { return m.taken.Load() == int64(n) })
		t.Logf("%d events are in the log and learned within %.1f s", n, time.Since(begin).Seconds())
	}
	x.agree("two newcomers", n)
}

// opened is an event of one of 40 sessions and 400 files.
func opened(i int) event.Event {
	return event.Event{ID: fmt.Sprint("toolu_", i), Time: began.Add(time.Duration(i) * 50 * time.Millisecond), Agent: "tool",
		Session: fmt.Sprint("s", i/400%40), Body: event.Call{Act: event.ActRead,
			Paths: []event.Path{files[i%4], event.Path(fmt.Sprintf("dir%d/file%d.go", i%20, i*7%400))}}}
}

// TestNewestOrigins: invented origins do not keep newcomers out, and what is known of origins stays bounded.
func TestNewestOrigins(t *testing.T) {
	t.Parallel()
	x := newCrew(t, "redis://127.0.0.1:1", 1)
	m, friend := x.members[0].t, rand.Text()
	for range 10 * maxOrigins {
		fault.Check(t, errors.Join(m.admit(rand.Text()), m.admit(friend)))
	}
	m.refuse(friend, errEntry)
	got := m.Status().Origins
	if len(got) != maxOrigins || got[friend].Refused != 1 {
		t.Errorf("%d origins are known, the one that is met all the time as %+v", len(got), got[friend])
	}
}

// TestHighestID: an entry with the highest id there is, after which no server appends or reads, stops nobody: the stream
// is made again, by whoever meets it, and everybody publishes again.
func TestHighestID(t *testing.T) {
	NeedServer(t, "redis-server")
	x := newCrew(t, "redis://"+Serve(t, "redis-server"), 3)
	c, stream := x.client(), "aoa:{"+x.repo+"}:events"
	want := 0
	for _, id := range []string{"18446744073709551615-18446744073709551615", "18446744073709551615-18446744073709551614",
		"9223372036854775808-0"} {
		for _, m := range x.members {
			m.work(5)
		}
		want += 15
		x.agree("before "+id, want)
		fault.Check(t, c.XAdd(t.Context(), &redis.XAddArgs{Stream: stream, ID: id, Values: []any{field, "x"}}).Err())
		x.members[0].work(5)
		want += 5
		x.agree("after "+id, want)
	}
	fault.Check(t, c.Do(t.Context(), "XSETID", stream, "18446744073709551615-18446744073709551615").Err())
	x.members[1].work(5)
	x.agree("after the id alone", want+5)
}

// TestLargeEntries: entries that are too large to be read are passed over, and no other one is, even within the same
// millisecond.
func TestLargeEntries(t *testing.T) {
	NeedServer(t, "redis-server")
	x := newCrew(t, "redis://"+Serve(t, "redis-server"), 0)
	c, large := x.client(), strings.Repeat("x", maxReply+1)
	origin := rand.Text()
	for i, id := range []string{"0-1", "0-9", "5-0", "5-7", "5-8", "5-9", "1764230000000-0", "1764230000000-1",
		"1764230000001-300", "1764230000001-301"} {
		raw, _ := encode(opened(i), origin, true)
		if i%2 == 0 {
			raw = []byte(large)
		}
		fault.Check(t, c.XAdd(t.Context(), &redis.XAddArgs{Stream: "aoa:{" + x.repo + "}:events", ID: id,
			Values: []any{field, raw}}).Err())
	}
	m := x.join()
	begin := time.Now()
	fault.Until(t, time.Minute, "the small ones are read", func() bool { return m.taken.Load() == 5 })
	t.Logf("5 large entries are passed over within %.1f s", time.Since(begin).Seconds())
	m.work(1)
	x.agree("own events are published", 6)
	if got := m.t.Status().Origins["unknown"]; got.Refused != 5 {
		t.Errorf("%d entries are refused", got.Refused)
	}
}
