package daemon_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/hot/redis"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
)

// born is when the one commit of every clone was made: lately, for ticks end sessions that are a day old.
var born = time.Now().Add(-3 * time.Hour).UTC().Truncate(time.Minute)

// team is several daemons that share a server, each with a clone, a log and a socket of its own.
type team struct {
	*testing.T
	url, id string
	daemons []*fixture
	said    []event.Event // by all of them
}

func newTeam(t *testing.T, n int, url string) *team {
	x := &team{T: t, url: url, id: fmt.Sprint("team-", rand.Uint64())}
	date := fmt.Sprint(born.Unix(), " +0000")
	for range n {
		d := newFixture(t, "AOA_REDIS_URL="+url, "AOA_REPO_ID="+x.id, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "AOA_WATCH=off")
		x.daemons = append(x.daemons, d)
	}
	return x
}

func (x *team) start() {
	for _, d := range x.daemons {
		d.start()
	}
}

// say sends events to one daemon, and returns when they are durable there.
func (x *team) say(i int, events ...event.Event) {
	x.Helper()
	x.said = append(x.said, events...)
	call(x.daemons[i], api.Events, events)
}

// reads are n accesses by one daemon's agent, two files at a time.
func reads(who, from, n int) (out []event.Event) {
	for i := from; i < from+n; i++ {
		at := born.Add(time.Duration(i) * time.Minute)
		out = append(out, read(fmt.Sprint(who, "-", i), fmt.Sprint("session", who), at, []event.Path{"a.go", "b.go", "in/side/c.go"}[i%3]))
	}
	return out
}

// equal waits until the server has exactly what all have said, each event once, and the commit once.
func (x *team) equal(what string) {
	x.Helper()
	files := []string{"a.go", "b.go", "in/side/c.go"}
	at := born.Add(48 * time.Hour)
	ref := hot.New(nil)
	union := slices.Clone(x.said)
	if err := learn.New(ref, live.New(), learn.Options{}).Learn(x.Context(), union, 1); err != nil {
		x.Fatal(err)
	}
	var last string
	ask := func(s *hot.Store) (out []float64) {
		v := s.View(at)
		var vs []*hot.Values
		for _, f := range []*hot.Family{hot.Frequency, hot.Recency, hot.Sessions} {
			vs = append(vs, v.Of(f, files))
		}
		for _, f := range files {
			vs = append(vs, v.OwnedOf(hot.Coaccess, f, files))
		}
		if err := v.Load(x.Context()); err != nil {
			x.Fatal(err)
		}
		for _, v := range vs {
			out = append(out, v.Value...)
		}
		return out
	}
	want := ask(ref)
	done := false
	defer func() {
		if !done {
			x.Logf("%s: %s", what, last)
		}
	}()
	x.daemons[0].until(what, func() bool {
		server, err := x.server()
		if err != nil {
			last = err.Error()
			return false
		}
		got := ask(server)
		v := server.View(born)
		churn := v.Of(hot.Churn, files)
		if err := v.Load(x.Context()); err != nil {
			x.Fatal(err)
		}
		last = fmt.Sprint(got, " churn ", churn.Value, " want ", want)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
				return false
			}
		}
		return !slices.ContainsFunc(churn.Value, func(c float64) bool { return math.Abs(c-1) > 1e-9 })
	})
	done = true
	x.Logf("%s: %d events of %d daemons, %d numbers equal", what, len(x.said), len(x.daemons), len(want)+len(files))
}

// server is what the server has.
func (x *team) server() (*hot.Store, error) {
	s, err := redis.Open(x.Context(), redis.Options{URL: x.url, Repo: x.id, Writer: "onlooker"})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Load(x.Context()); err != nil {
		return nil, err
	}
	return s.Mirror().Scores, nil
}

// servers runs fn over what may stand behind redis_url.
func servers(t *testing.T, fn func(t *testing.T, url string)) {
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		fn(t, "redis://"+miniredis.RunT(t).Addr())
	})
	if url := os.Getenv("AOA_TEST_REDIS"); url != "" {
		t.Run("server", func(t *testing.T) {
			t.Parallel()
			fn(t, url)
		})
	}
}

// TestSeveralWriters: three daemons learn at once, and again after each was stopped in between.
func TestSeveralWriters(t *testing.T) {
	servers(t, func(t *testing.T, url string) {
		x := newTeam(t, 3, url)
		x.start()
		var wg sync.WaitGroup
		for i, d := range x.daemons {
			events := reads(i, 0, 60)
			x.said = append(x.said, events...)
			wg.Go(func() {
				for chunk := range slices.Chunk(events, 7) {
					call(d, api.Events, chunk)
				}
			})
		}
		wg.Wait()
		x.equal("three at once")
		for i, d := range x.daemons {
			d.stop()
			d.start()
			x.say(i, reads(i, 60, 5)...)
		}
		x.equal("each began again")
	})
}

// TestServerGone: what is learned meanwhile waits in the log, questions are answered, and all arrives in order.
func TestServerGone(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	x := newTeam(t, 2, "redis://"+m.Addr())
	x.start()
	x.say(0, reads(0, 0, 10)...)
	x.say(1, reads(1, 0, 10)...)
	x.equal("before")
	question := event.Query{Limit: 3}
	before := call(x.daemons[0], api.Rank, question)
	if len(before.Suggestions) == 0 {
		t.Fatal("no answer")
	}
	m.Close()
	x.say(0, reads(0, 10, 10)...)
	if after := call(x.daemons[0], api.Rank, question); len(after.Suggestions) < len(before.Suggestions) {
		t.Errorf("while the server is gone: %d suggestions, %d before", len(after.Suggestions), len(before.Suggestions))
	}
	d := x.daemons[0]
	d.until("the status says so", func() bool {
		return strings.Contains(strings.Join(call(d, api.Status, api.None{}).Warnings, "\n"), "batches wait")
	})
	_, err := api.Call(t.Context(), &api.Client{Place: d.o.Place, Dir: string(d.o.Repo.Root)}, api.Forget, api.ForgetRequest{File: "a.go"})
	if err == nil || !strings.Contains(err.Error(), "what it has cannot be forgotten") {
		t.Errorf("forgetting without the server: %v", err)
	}
	d.stop()
	d.start() // a daemon starts without its server
	x.say(0, reads(0, 20, 10)...)
	m.Ctx, m.CtxCancel = context.WithCancel(context.Background()) // else it answers no XREAD that waits
	if err := m.Restart(); err != nil {
		t.Fatal(err)
	}
	x.equal("caught up")
	d.until("the status is well again", func() bool {
		return !strings.Contains(strings.Join(call(d, api.Status, api.None{}).Warnings, "\n"), "batches wait")
	})
}

// TestServerEmptied: every daemon gives it again what it knows, and the commit counts once.
func TestServerEmptied(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	x := newTeam(t, 3, "redis://"+m.Addr())
	x.start()
	for i := range x.daemons {
		x.say(i, reads(i, 0, 12)...)
	}
	x.equal("before")
	m.FlushAll()
	x.say(1, reads(1, 12, 3)...)
	x.equal("emptied")
	addr := m.Addr()
	m.Close()
	other := miniredis.NewMiniRedis()
	if err := other.StartAddr(addr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	x.say(2, reads(2, 12, 3)...)
	x.equal("another server in its place")
}

// TestForgetShared: a session is subtracted, a file is gone whoever learned of it.
func TestForgetShared(t *testing.T) {
	servers(t, func(t *testing.T, url string) {
		x := newTeam(t, 2, url)
		x.start()
		x.say(0, reads(0, 0, 12)...)
		x.say(1, reads(1, 0, 12)...)
		x.equal("before")
		if n := call(x.daemons[0], api.Forget, api.ForgetRequest{Session: "session0"}).Events; n != 12 {
			t.Errorf("%d events forgotten", n)
		}
		x.said = slices.DeleteFunc(x.said, func(e event.Event) bool { return e.Session == "session0" })
		value := func(f string) float64 {
			server, err := x.server()
			if err != nil {
				t.Fatal(err)
			}
			v := server.View(born.Add(12 * time.Minute))
			r := v.Of(hot.Frequency, []string{f})
			if err := v.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			return r.Value[0]
		}
		x.daemons[0].until("the session is subtracted", func() bool { return math.Abs(value("a.go")-4) < .01 })
		call(x.daemons[1], api.Forget, api.ForgetRequest{File: "a.go"})
		if got := value("a.go"); got != 0 {
			t.Errorf("a.go is still worth %v", got)
		}
		if got := value("b.go"); math.Abs(got-4) > .01 {
			t.Errorf("b.go is worth %v", got)
		}
		for _, d := range x.daemons {
			d.until("the daemon is back", func() bool {
				st, err := api.Call(t.Context(), &api.Client{Place: d.o.Place, Dir: string(d.o.Repo.Root)}, api.Status, api.None{})
				return err == nil && st.Import.State == "done"
			})
		}
	})
}
