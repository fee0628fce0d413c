package team

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// began is when the events of a test begin.
var began = time.Now().Add(-5 * time.Hour).UTC().Truncate(time.Minute)

// crew is several clones of a repository behind one redis_url, each with a log of its own.
type crew struct {
	*testing.T
	url, repo string
	words     bool
	members   []*member
}

type member struct {
	*crew
	*cold.DB
	t           *Team
	url         string
	dir, origin string
	learner     *learn.Learner // learns what is taken; may be nil
	sessions    *session.Sessions
	taken       atomic.Int64
	end         func()
	n           int
	appending   sync.Mutex // as in the daemon, one batch is appended at a time
}

func newCrew(t *testing.T, url string, n int) *crew {
	x := &crew{T: t, url: url, repo: "crew-" + rand.Text(), words: true}
	for range n {
		x.join()
	}
	return x
}

// join adds a clone, prepared before it starts.
func (x *crew) join(prepare ...func(*member)) *member {
	x.Helper()
	m := &member{crew: x, url: x.url, dir: x.TempDir(), origin: rand.Text()}
	for _, fn := range prepare {
		fn(m)
	}
	m.start()
	x.Cleanup(func() { m.end() })
	x.members = append(x.members, m)
	return m
}

func (m *member) start() {
	m.Helper()
	log := slog.New(slog.NewTextHandler(m.Output(), nil))
	var err error
	m.DB, err = cold.Open(m.Context(), filepath.Join(m.dir, "aoa.db"), cold.Options{Now: time.Now, Log: log})
	m.check(err)
	m.t, err = New(m.Context(), Options{URL: m.url, Repo: m.repo, Origin: m.origin, Words: func() bool { return m.words },
		Log: m, Now: time.Now, Info: log, Alert: log})
	m.check(err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(m.Context()))
	var part sync.WaitGroup
	part.Go(func() { _ = m.t.Run(ctx) })
	m.end = func() {
		cancel()
		part.Wait()
		m.check(m.Close())
		m.end = func() {}
	}
}

// Take and Forget are the part of Log that the daemon adds.
func (m *member) Take(ctx context.Context, events []event.Event) error {
	for i := range events {
		events[i] = events[i].Normalize(time.Now())
	}
	m.appending.Lock()
	defer m.appending.Unlock()
	_, fresh, err := m.Append(ctx, events)
	if err == nil && m.learner != nil {
		m.learner.Learn(m.sessions, fresh...)
	}
	m.taken.Add(int64(len(fresh)))
	return err
}

func (m *member) Forget(ctx context.Context, meant func(event.Event) bool) (int, error) {
	gone, err := m.ForgetPeers(ctx, meant)
	return len(gone.Events), err
}

func (x *crew) check(err error) {
	x.Helper()
	if err != nil {
		x.Error(err)
	}
}

var files = []event.Path{"a.go", "b.go", "in/c.go", "in/d.go"}

// work logs n own events of three sessions, one batch each.
func (m *member) work(n int) {
	m.Helper()
	kinds := []event.Kind{event.KindPrompt, event.KindRead, event.KindEdit, event.KindHint, event.KindRead,
		event.KindSearch, event.KindWrite}
	for range n {
		m.n++
		fields := eventtest.Fields{"Terms": []string{"wire", "retry"}[:m.n%3], "Tags": []string{"go"}[:m.n%2]}
		e := event.Event{ID: fmt.Sprint("call-", m.n), Agent: "tool", Session: fmt.Sprint("s", m.n%3),
			Time: began.Add(time.Duration(m.n) * time.Minute), Body: eventtest.Fill(kinds[m.n%len(kinds)], fields)}
		if e.Kind() != event.KindPrompt && e.Kind() != event.KindSearch {
			eventtest.Set(&e, "Paths", []event.Path{files[m.n*7%5%len(files)]})
		}
		if e.Kind() == event.KindHint { // opens that it leads to count less
			e.Session = fmt.Sprint("s", (m.n+1)%3)
			eventtest.Set(&e, "Name", "partner", "Status", "shown", "Label", "open", "Scores", []float64{.7})
		}
		m.say(e)
	}
}

func (m *member) say(events ...event.Event) {
	m.Helper()
	for i := range events {
		events[i] = events[i].Normalize(time.Now())
	}
	m.appending.Lock()
	defer m.appending.Unlock()
	_, _, err := m.Append(m.Context(), events)
	m.check(err)
	m.t.Logged()
}

// holds are the ids of all events that a member holds, with their origins, in order.
func (m *member) holds() (ids []string) {
	m.check(m.Replay(m.Context(), 0, func(_ int64, batch []event.Event) error {
		for _, e := range batch {
			if e.Origin == "" {
				e.ID = m.origin + ":" + e.ID
			}
			ids = append(ids, e.ID)
		}
		return nil
	}))
	slices.Sort(ids)
	return ids
}

// scores are what a member learns from all that it holds.
func (m *member) scores() (out []float64) {
	s := hot.New()
	learner, sessions := learn.New(s), session.New()
	m.check(m.Replay(m.Context(), 0, func(_ int64, batch []event.Event) error {
		learner.Learn(sessions, batch...)
		return nil
	}))
	owners := map[hot.Noun][]string{hot.NounNone: {""}, hot.NounFile: event.Strings(files), hot.NounTag: {"go"},
		hot.NounTerm: {"wire", "retry"}}
	for _, f := range hot.Families {
		for _, o := range owners[f.Owner] {
			all := s.All(f, o, began.Add(6*time.Hour))
			hot.Highest(all)
			for _, m := range all {
				out = append(out, m.Score)
			}
		}
	}
	return out
}

// agree waits until all members hold the same, want events in all, and compares what they learn
// from it.
func (x *crew) agree(what string, want int) {
	x.Helper()
	fault.Until(x, time.Minute, what, func() bool {
		first := x.members[0].holds()
		other := func(m *member) bool { return !slices.Equal(m.holds(), first) }
		return len(first) == want && !slices.ContainsFunc(x.members, other)
	})
	first, sum := x.members[0].scores(), 0.
	for i, m := range x.members {
		for j, got := range m.scores() {
			if sum += got; math.Abs(got-first[j]) > 1e-9*max(1, math.Abs(first[j])) {
				x.Fatalf("%s: number %d of member %d is %v, not %v", what, j, i, got, first[j])
			}
		}
	}
	if want > 0 && sum == 0 {
		x.Fatalf("%s: nothing was learned", what)
	}
}

// behind runs a test behind each of some places. What go-redis promises of the others is tested
// once, by TestEqual.
func behind(t *testing.T, places []Place, fn func(t *testing.T, url string)) {
	for _, p := range places {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			fn(t, p.Open(t))
		})
	}
}

// TestEqual: members that hold the same events learn the same, live, after a restart, and as a
// newcomer.
func TestEqual(t *testing.T) {
	t.Parallel()
	behind(t, Places, func(t *testing.T, url string) {
		x := newCrew(t, url, 3)
		for _, m := range x.members {
			m.work(40)
		}
		x.agree("three members", 120)
		x.members[1].end()
		x.members[0].work(10)
		x.members[1].start()
		x.members[1].work(10)
		x.agree("one began again", 140)
		x.join().work(5)
		x.agree("a newcomer", 145)
	})
}

// TestForgotten: what one forgets, the others forget, and so do newcomers; no other events go, nor
// later ones.
func TestForgotten(t *testing.T) {
	t.Parallel()
	behind(t, Places[:2], func(t *testing.T, url string) {
		x := newCrew(t, url, 2)
		a, b := x.members[0], x.members[1]
		one := func(id, session string, at time.Duration, p event.Path) event.Event {
			return event.Event{ID: id, Session: session, Time: began.Add(at),
				Body: event.Call{Act: event.ActRead, Paths: []event.Path{p}}}
		}
		a.say(one("1", "s", 1, "in/c.go"), one("2", "s", 2, "a.go"), one("3", "t", 3, "b.go"),
			one("4", "u", time.Hour, "a.go"))
		b.say(one("1", "s", 1, "in/c.go"))
		x.agree("before", 5)
		gone := func(what string, f cold.ForgetFilter, left int) {
			t.Helper()
			fault.Must(a.DB.Forget(t.Context(), f))
			x.check(a.t.Forget(t.Context(), NewFilter(f.Path, f.Session, f.Since, time.Now())))
			fault.Until(t, time.Minute, what, func() bool { return len(b.holds()) == left && len(a.t.now().Forgets) == 0 })
		}
		gone("a folder", cold.ForgetFilter{Path: "in"}, 4) // here it is gone, whichever clone learned it
		gone("a session", cold.ForgetFilter{Session: "t"}, 3)
		gone("a time", cold.ForgetFilter{Since: began.Add(time.Minute)}, 2)
		c := x.join()
		fault.Until(t, time.Minute, "a newcomer", func() bool { return len(c.holds()) == 2 })
		a.say(event.Event{ID: "5", Session: "t", Time: time.Now().Add(time.Second),
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{"in/c.go"}}})
		fault.Until(t, time.Minute, "what came later", func() bool { return len(c.holds()) == 3 && len(b.holds()) == 3 })
		sent := ""
		for _, m := range x.entries(x.client()) {
			if raw := fmt.Sprint(m.Values[field]); strings.Contains(raw, `"forget"`) {
				sent += raw
			}
		}
		if strings.Contains(sent, `"in"`) || !strings.Contains(sent, digest("in")) {
			t.Errorf("the server is sent %s", sent)
		}
	})
}

// entries are what the crew's stream holds.
func (x *crew) entries(c redis.UniversalClient) []redis.XMessage {
	return fault.Must(c.XRange(x.Context(), "aoa:{"+x.repo+"}:events", "-", "+").Result())
}

// client is a client of the crew's server.
func (x *crew) client() redis.UniversalClient {
	c := fault.Must(dial(x.url))
	x.Cleanup(func() { c.Close() })
	return c
}

// TestServerLost: a server that was emptied, replaced, or restored from an old dump gets again what
// it lacks, and nothing counts twice. While it refuses commands each log keeps its own events, and
// says so.
func TestServerLost(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	x := newCrew(t, "redis://"+m.Addr(), 2)
	x.members[0].work(20)
	x.members[1].work(20)
	x.agree("before", 40)
	gap := func() bool {
		return slices.ContainsFunc(x.members, func(m *member) bool { return !m.t.Status().Gap.IsZero() })
	}
	if gap() {
		t.Fatal("a gap without one")
	}
	m.FlushAll()
	x.members[0].work(5)
	x.agree("emptied", 45)
	fault.Until(t, time.Minute, "a gap is said", gap)
	x.join()
	x.agree("a newcomer after that", 45)

	for i, refusal := range []string{"OOM command not allowed", "READONLY You can't write against a read only replica.",
		"NOAUTH Authentication required."} {
		m.SetError(refusal)
		for _, other := range x.members {
			other.work(5)
		}
		fault.Until(t, time.Minute, "trouble is said", func() bool {
			return !slices.ContainsFunc(x.members[:2], func(m *member) bool {
				s := m.t.Status()
				return s.Trouble == nil || !strings.Contains(s.Trouble.Error(), refusal[:5]) || s.Waiting == 0
			})
		})
		m.SetError("")
		x.agree("afterwards", 45+15*(i+1))
	}

	c := x.client()
	entries := x.entries(c)
	for _, e := range entries[len(entries)/2:] { // a dump from before they came
		x.check(c.XDel(t.Context(), "aoa:{"+x.repo+"}:events", e.ID).Err())
	}
	x.members[1].work(5)
	x.agree("restored", 95)
	x.join()
	x.agree("a newcomer after the restore", 95)

	addr := m.Addr()
	m.Close()
	x.members[1].work(5)
	fault.Until(t, time.Minute, "trouble is said", func() bool {
		s := x.members[1].t.Status()
		return s.Trouble != nil && s.Waiting > 0
	})
	other := miniredis.NewMiniRedis()
	x.check(other.StartAddr(addr))
	t.Cleanup(other.Close)
	x.agree("another server", 100)
	x.join()
	x.agree("its newcomer", 100)
}

// TestLostWhilePublishing: after a server has lost entries between two steps of a round, the next
// round publishes what it lacks, in the order of the log: what newcomers learn depends on the order.
func TestLostWhilePublishing(t *testing.T) {
	t.Parallel()
	for _, kept := range []int{10, 0} {
		server, m := miniredis.RunT(t), newCrew(t, "redis://127.0.0.1:1", 1).members[0]
		client, prefix := fault.Must(dial("redis://"+server.Addr())), "aoa:{"+m.repo+"}:"
		t.Cleanup(func() { client.Close() })
		l := &link{t: m.t, client: client, events: prefix + "events", name: prefix + "stream"}
		m.work(20)
		fault.Check(t, l.round(t.Context()))
		m.work(5)
		fault.Check(t, l.identify(t.Context()))
		for _, e := range m.entries(client)[kept:] {
			m.check(client.XDel(t.Context(), l.events, e.ID).Err())
		}
		if kept == 0 {
			server.FlushAll()
		}
		fault.Check(t, errors.Join(l.publish(t.Context()), l.round(t.Context())))
		var got []string
		for _, entry := range m.entries(client) {
			if e, _, _, _ := decode(entry.Values[field].(string), time.Now()); !slices.Contains(got, e.ID) {
				got = append(got, e.ID)
			}
		}
		for i := range max(25, len(got)) {
			if want := fmt.Sprint(m.origin, ":call-", i+1); len(got) != 25 || got[i] != want {
				t.Fatalf("%d kept: %d events, number %d is not %s: %s", kept, len(got), i, want, got)
			}
		}
		for range 3 { // more than one reading of the log collects
			var many []event.Event
			for range window/2 + 1 {
				many = append(many, event.Event{ID: rand.Text(), Body: event.Prompt{}})
			}
			m.say(many...)
		}
		fault.Check(t, l.publish(t.Context()))
		if n := client.XLen(t.Context(), l.events).Val(); n < 3*(window/2+1) {
			t.Errorf("%d entries of a log with many events", n)
		}
	}
}

// TestHostile: what a peer may append harms only itself.
func TestHostile(t *testing.T) {
	t.Parallel()
	behind(t, Places[:2], func(t *testing.T, url string) {
		x := newCrew(t, url, 2)
		a, b := x.members[0], x.members[1]
		a.work(3)
		x.agree("before", 6-3)
		evil := rand.Text()
		c := x.client()
		put := func(values ...any) {
			x.check(c.XAdd(t.Context(), &redis.XAddArgs{Stream: "aoa:{" + x.repo + "}:events", Values: values}).Err())
		}
		entry := func(id string, at int64, more string) string {
			return `{"v":1,"origin":"` + evil + `","id":"` + id + `","event":{"time":"` +
				time.UnixMilli(at).UTC().Format(time.RFC3339Nano) + `","session":"s",` + more + `}}`
		}
		bad := 0
		for _, more := range []string{`"kind":"rename"`, `"kind":"commit"`, `"kind":"setting"`, `"kind":"save"`,
			`"kind":"tick"`, `"kind":"checkout"`,
			`"kind":"read","paths":["../x"]`, `"kind":"read","paths":["/etc/passwd"]`, `"kind":"read","paths":[7]`, `"kind":"none"`,
			`"kind":"hint","scores":[7]`, `"kind":"hint","scores":[1e999]`, `"kind":"hint","scores":[NaN]`,
			`"kind":"read","tags":["a\nb"]`, `"kind":"read","agent":"` + strings.Repeat("x", 300) + `"`,
			`"kind":"read","session":"` + strings.Repeat("x", 10<<20) + `"`} {
			put(field, entry("1", 1, more))
			bad++
		}
		put("other", "field")
		put(field, "no JSON")
		put(field, `{"v":1,"origin":"git","id":"commit:00","event":{"kind":"read"}}`)  // it would be the id of a commit
		put(field, strings.Replace(entry("1", 1, `"kind":"read"`), evil, a.origin, 1)) // in a's name: a skips it
		put(field, entry("gone", 3, `"kind":"read"`))
		put(field, entry("2100", 4102444800000, `"kind":"read","paths":["a.go"]`))
		put(field, `{"v":1,"origin":"`+evil+`","id":"f","forget":{"since":1,"until":5}}`)
		put(field, entry("after", 9, `"kind":"read","paths":["b.go"]`))
		b.work(3)
		forgot := func(m *member) bool {
			return slices.Contains(m.holds(), evil+":after") && !slices.Contains(m.holds(), evil+":gone")
		}
		fault.Until(t, time.Minute, "all is read, and what is to be forgotten is gone", func() bool {
			return forgot(a) && forgot(b) && len(b.holds()) >= 7 && slices.Contains(a.holds(), b.origin+":call-3")
		})
		for _, m := range x.members {
			for _, id := range m.holds() {
				if strings.HasPrefix(id, evil) && id != evil+":after" && id != evil+":2100" || strings.HasPrefix(id, "git") {
					t.Errorf("%s was taken", id)
				}
			}
			x.check(m.Replay(t.Context(), 0, func(_ int64, batch []event.Event) error {
				for _, e := range batch {
					if e.Origin != "" && (e.Session != "" && !event.Foreign(e.Session) ||
						e.Time.After(time.Now().Add(3*time.Minute))) {
						t.Errorf("%+v", e)
					}
				}
				return nil
			}))
		}
		if got := a.t.Status().Origins[evil]; got.Refused < 10 || got.Why == "" {
			t.Errorf("refused %d of some %d entries", got.Refused, bad)
		}
		name, err := a.t.Remove(t.Context(), evil[:6], []string{evil, b.origin})
		if err != nil || name != evil {
			t.Fatal(name, err)
		}
		put(field, entry("again", 1, `"kind":"read"`))
		b.work(1)
		fault.Until(t, time.Minute, "all is read", func() bool {
			return slices.Contains(a.holds(), b.origin+":call-4") && slices.Contains(b.holds(), evil+":again")
		})
		if slices.Contains(a.holds(), evil+":again") {
			t.Error("an origin that was removed is taken")
		}
	})
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

// TestHostileServer: a server that hangs in the handshake or never ends an answer costs news alone:
// trouble is said, the own events wait in the log, memory stays, and the exchange ends when it is asked
// to.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scheme string
		serve  func(net.Conn)
	}{
		"hangs in the handshake": {"rediss://", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }},
		"an answer without end": {"redis://", func(c net.Conn) {
			for _, err := c.Write([]byte("+")); err == nil; { // a line that goes on and on
				_, err = c.Write(make([]byte, 1<<20))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln := fault.Must(net.Listen("tcp", "127.0.0.1:0"))
			t.Cleanup(func() { ln.Close() })
			go func() {
				for {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					go func() { defer conn.Close(); c.serve(conn) }()
				}
			}()
			m := newCrew(t, c.scheme+ln.Addr().String(), 0).join()
			m.work(3)
			fault.Until(t, time.Minute, "trouble is said", func() bool {
				st := m.t.Status()
				return !st.Linked && st.Trouble != nil && st.Waiting > 0
			})
			if got := len(m.holds()); got != 3 {
				t.Errorf("%d events are left of 3", got)
			}
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			if mem.HeapInuse > 512<<20 {
				t.Errorf("%d MB are in use", mem.HeapInuse>>20)
			}
			begin := time.Now()
			if m.end(); time.Since(begin) > 10*time.Second {
				t.Errorf("it ends after %s", time.Since(begin))
			}
		})
	}
}
