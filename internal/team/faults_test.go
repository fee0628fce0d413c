package team

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestNewcomer: who joins gets the whole stream, learns from it, and then knows what every other
// newcomer knows.
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

// TestNewestOrigins: invented origins do not keep newcomers out, and what is known of origins stays
// bounded.
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
