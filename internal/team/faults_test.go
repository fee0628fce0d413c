package team

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// bed is a crew of two, each behind a forwarder of its own, a server, and another one that may take its place.
type bed struct {
	*crew
	master, other string
	ways          [2]*forwarder
	dump          string // folder of the master's dump
	stop          func() // ends the master
}

func newBed(t *testing.T) *bed {
	b := &bed{crew: newCrew(t, "", 0), dump: shortDir(t), master: freeAddr(t)}
	b.begin()
	b.other = Serve(t, "redis-server")
	for i := range b.ways {
		b.ways[i] = forward(t, b.master)
		b.url = "redis://" + b.ways[i].addr
		b.join()
	}
	return b
}

// begin starts the master, with its dump if there is one.
func (b *bed) begin() {
	NeedServer(b, "redis-server")
	cmd := start(b, "redis-server", b.master, "--dir", b.dump, "--dbfilename", "dump.rdb")
	b.stop = func() { b.check(cmd.Process.Kill()); _ = cmd.Wait() }
	await(b, "the server", func(ctx context.Context) error { return ask(ctx, b.master, "PING") })
}

// tell gives a server a command.
func (b *bed) tell(addr, password string, args ...any) {
	b.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, Password: password, MaxRetries: -1, Protocol: 2, DisableIdentity: true})
	defer c.Close()
	if err := c.Do(b.Context(), args...).Err(); err != nil {
		b.Fatalf("%v: %v", args, err)
	}
}

// follow makes one server a replica of another, and waits until it has all.
func (b *bed) follow(addr, of string) {
	host, port, _ := net.SplitHostPort(of)
	b.tell(addr, "", "REPLICAOF", host, port)
	await(b, "the replica", func(ctx context.Context) error {
		info, err := answer(ctx, addr, "INFO", "replication")
		if err == nil && !strings.Contains(info, "master_link_status:up") {
			err = fmt.Errorf("not yet: %s", info)
		}
		return err
	})
}

// TestServerFaults: whatever becomes of the server, each log keeps its own events, and once there is one server again
// that can be written, all hold and learn the same. Trouble and gaps are said.
func TestServerFaults(t *testing.T) {
	for _, f := range []struct {
		name, trouble string // what is said meanwhile; "": a gap, or nothing
		begin, end    func(b *bed)
	}{
		{"full", "OOM", func(b *bed) { b.tell(b.master, "", "CONFIG", "SET", "maxmemory", "1") },
			func(b *bed) { b.tell(b.master, "", "CONFIG", "SET", "maxmemory", "0") }},
		{"a replica that is read-only", "READONLY", func(b *bed) {
			b.follow(b.other, b.master)
			b.tell(b.other, "", "REPLICAOF", "NO", "ONE")
			b.follow(b.master, b.other)
		}, func(b *bed) { b.tell(b.master, "", "REPLICAOF", "NO", "ONE") }},
		{"a wrong password", "NOAUTH", func(b *bed) {
			b.tell(b.master, "", "CONFIG", "SET", "requirepass", "x")
			b.tell(b.master, "x", "CLIENT", "KILL", "TYPE", "normal")
		}, func(b *bed) { b.tell(b.master, "x", "CONFIG", "SET", "requirepass", "") }},
		{"a network that swallows everything", "timeout", func(b *bed) {
			for _, w := range b.ways {
				w.muted.Store(true)
			}
		}, func(b *bed) {
			for _, w := range b.ways {
				w.muted.Store(false)
				w.to(b.master)
			}
		}},
		{"flushed", "", func(b *bed) { b.tell(b.master, "", "FLUSHALL") }, func(*bed) {}},
		{"restored from an old dump", "", func(b *bed) {
			b.tell(b.master, "", "SAVE")
			for _, m := range b.members {
				m.work(10)
			}
			b.agree("after the dump", 60)
			b.stop()
			b.begin()
		}, func(*bed) {}},
		{"two masters after a fail-over", "", func(b *bed) {
			b.follow(b.other, b.master)
			b.tell(b.other, "", "REPLICAOF", "NO", "ONE")
			b.ways[1].to(b.other)
		}, func(b *bed) {
			fault.Until(b, time.Minute, "each has its master", func() bool {
				return b.members[0].t.Status().Waiting == 0 && b.members[1].t.Status().Waiting == 0
			})
			b.follow(b.other, b.master)
			b.ways[1].to(b.master)
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			NeedServer(t, "redis-server")
			book := fault.Open(t, "team's server: "+f.name)
			b := newBed(t)
			for _, m := range b.members {
				m.work(20)
			}
			b.agree("before", 40)
			f.begin(b)
			for _, m := range b.members {
				m.work(20)
			}
			if f.trouble != "" {
				fault.Until(t, time.Minute, "trouble is said", func() bool {
					return !slices.ContainsFunc(b.members, func(m *member) bool {
						s := m.t.Status()
						return s.Trouble == nil || !strings.Contains(s.Trouble.Error(), f.trouble) || s.Waiting == 0
					})
				})
			}
			f.end(b)
			want := 0
			for _, m := range b.members {
				want += m.n
				own := slices.DeleteFunc(m.holds(), func(id string) bool { return !strings.HasPrefix(id, m.origin) })
				fault.Same(t, "a log", len(own), m.n)
			}
			b.agree("afterwards", want)
			b.url = "redis://" + b.master
			b.join()
			b.agree("a newcomer", want)
			if gap := slices.ContainsFunc(b.members, func(m *member) bool { return !m.t.Status().Gap.IsZero() }); !gap &&
				f.trouble == "" {
				t.Error("no message says that events were missing")
			}
			verdict := fault.Whole
			if t.Failed() {
				verdict = fault.Wrong
			}
			book.Add(verdict, 1)
		})
	}
}

// TestSentinelFailover: a sentinel makes the replica the master while two daemons exchange events. None is missing
// afterwards.
func TestSentinelFailover(t *testing.T) {
	t.Parallel()
	w := serveWatched(t)
	c := newCrew(t, w.url, 2)
	work := func() {
		for _, m := range c.members {
			m.work(20)
		}
	}
	work()
	c.agree("before", 40)
	await(t, "the fail-over", func(ctx context.Context) error { return ask(ctx, w.sentinel, "SENTINEL", "FAILOVER", "main") })
	work()
	await(t, "another master", func(ctx context.Context) error {
		role, err := answer(ctx, w.replica, "ROLE")
		if err == nil && !strings.Contains(role, "master") {
			err = errors.New("it is a replica still")
		}
		return err
	})
	c.agree("afterwards", 80)
}

// forwarder passes connections on to a server that can be exchanged.
type forwarder struct {
	addr  string
	muted atomic.Bool // what comes is read and dropped

	mu     sync.Mutex // guards what follows
	target string
	open   []net.Conn
}

func forward(t testing.TB, target string) *forwarder {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fault.Check(t, err)
	f := &forwarder{addr: l.Addr().String(), target: target}
	t.Cleanup(func() { l.Close(); f.to("") })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			f.mu.Lock()
			out, err := net.Dial("tcp", f.target)
			if err != nil {
				in.Close()
				f.mu.Unlock()
				continue
			}
			f.open = append(f.open, in, out)
			f.mu.Unlock()
			go f.pass(in, out)
			go f.pass(out, in)
		}
	}()
	return f
}

// pass copies one direction of a connection.
func (f *forwarder) pass(to, from net.Conn) {
	defer to.Close()
	for buf := make([]byte, 64<<10); ; {
		n, err := from.Read(buf)
		if !f.muted.Load() {
			_, _ = to.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// to exchanges the server, and ends what is open.
func (f *forwarder) to(target string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.target = target
	for _, c := range f.open {
		c.Close()
	}
	f.open = nil
}

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
