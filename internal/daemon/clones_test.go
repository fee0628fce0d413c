package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/hot/redis"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// clones are the sharing parts of several daemons, each with a log and a store of its own.
type clones struct {
	*testing.T
	url, repo string
	all       []*clone
	began     time.Time
	commits   int
}

type clone struct {
	*clones
	dir     string
	db      *cold.DB
	own     *hot.Store
	events  *eventLog
	sharing *sharing
	end     func()
	n       int // events so far
	r       *rand.Rand
}

func newClones(t *testing.T, url string, n int) *clones {
	x := &clones{T: t, url: url, repo: fmt.Sprint("clones-", rand.Uint64()), began: time.Now().Add(-time.Hour)}
	for i := range n {
		c := &clone{clones: x, dir: t.TempDir(), r: rand.New(rand.NewPCG(uint64(i), 5))}
		c.start()
		t.Cleanup(func() { c.end() })
		x.all = append(x.all, c)
	}
	return x
}

// start opens the log, learns what it has, and shares it.
func (c *clone) start() {
	c.Helper()
	log := slog.New(slog.NewTextHandler(c.Output(), nil))
	cfg, _, err := config.Load([]string{"HOME=" + c.dir}, c.dir)
	c.check(err)
	b := base{now: time.Now, log: log, alert: log, settings: newSettings(nil, c.dir, time.Now, cfg)}
	c.db, err = cold.Open(c.Context(), filepath.Join(c.dir, "aoa.db"), cold.Options{Now: time.Now, Log: log})
	c.check(err)
	c.own = hot.New(time.Now)
	learned := &learnedStore{Store: c.own}
	sessions := live.New()
	learner := learn.New(learned, sessions, learn.Options{})
	apply := func(ctx context.Context, seq int64, events []event.Event) {
		if err := learner.Learn(ctx, events, seq); err != nil {
			c.Error(err)
		}
	}
	c.events = newEventLog(c.db, newApplyQueue(apply, 0), time.Now, log)
	c.sharing = newSharing(b, c.repo, c.db, c.own, sessions, c.events, c.url)
	learned.sharing = c.sharing
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
	c.check(c.db.Replay(ctx, 0, func(seq int64, events []event.Event) error { apply(ctx, seq, events); return nil }))
	c.events.queue.jump(c.db.Last())
	var parts sync.WaitGroup
	parts.Go(func() { _ = c.events.Run(ctx) })
	parts.Go(func() { _ = c.sharing.run(ctx) })
	c.end = func() {
		cancel()
		parts.Wait()
		c.check(c.db.Close())
	}
}

func (x *clones) check(err error) {
	x.Helper()
	if err != nil {
		x.Error(err)
	}
}

var cloneFiles = []string{"a.go", "b.go", "c.go", "in/d.go", "in/e.go", "f.md"}

// work logs n batches of what agents do, and some of the commits that every clone logs sooner or later.
func (c *clone) work(n, commits int) {
	kinds := []event.Kind{event.KindRead, event.KindEdit, event.KindRead, event.KindPrompt, event.KindSearch, event.KindSave}
	for range n {
		var batch []event.Event
		for range 1 + c.r.IntN(6) {
			c.n++
			e := event.Event{ID: fmt.Sprint(c.dir, c.n), Kind: kinds[c.r.IntN(len(kinds))], OK: true, Agent: "tool",
				Session: fmt.Sprint("s", c.r.IntN(3)),
				Time:    c.began.Add(time.Duration(c.n) * time.Second), Terms: []string{"wire", "retry"}[:c.r.IntN(3)],
				Tags: []string{"go"}[:c.r.IntN(2)]}
			if e.Kind != event.KindPrompt {
				e.Paths = event.Paths([]string{cloneFiles[c.r.IntN(len(cloneFiles))]})
			}
			batch = append(batch, e)
		}
		if commits > 0 && c.r.IntN(3) == 0 {
			batch = append(batch, c.commit(c.r.IntN(commits)))
		}
		if c.r.IntN(10) == 0 {
			c.n++
			batch = append(batch, event.Event{ID: fmt.Sprint("tick:", c.n), Kind: event.KindTick, Agent: "cron",
				Time: c.began.Add(time.Duration(c.n) * time.Second)})
		}
		_, err := c.events.Append(c.Context(), batch)
		c.check(err)
	}
}

// commit is a commit that all clones know by the same id.
func (c *clone) commit(i int) event.Event {
	return event.Event{ID: fmt.Sprintf("commit:%040x", i), Kind: event.KindCommit, Agent: "git", OK: true,
		Time:  c.began.Add(-time.Duration(i) * time.Minute),
		Paths: event.Paths([]string{cloneFiles[i%6], cloneFiles[(i+1)%6], cloneFiles[(i+3)%6]}), Terms: []string{"wire"}}
}

// twin is a store that learned all logs, each event and each commit once.
func (x *clones) twin() *hot.Store {
	x.Helper()
	all := hot.New(time.Now)
	counted, seq := map[string]bool{}, int64(0)
	for _, c := range x.all {
		learner := learn.New(twinStore{hot.New(time.Now), all, &seq}, live.New(), learn.Options{})
		x.check(c.db.Replay(x.Context(), 0, func(n int64, batch []event.Event) error {
			var mine []event.Event
			for _, e := range batch {
				if e.Kind != event.KindCommit || !counted[e.ID] {
					mine = append(mine, e)
				}
				counted[e.ID] = true
			}
			return learner.Learn(x.Context(), mine, n)
		}))
	}
	return all
}

// twinStore keeps how far one log was learned, and the scores of all.
type twinStore struct {
	*hot.Store
	all *hot.Store
	seq *int64
}

func (t twinStore) Apply(ctx context.Context, b *hot.Batch, seq int64) error {
	*t.seq++
	return errors.Join(t.all.Apply(ctx, b.Scores(), *t.seq), t.Store.Apply(ctx, hot.NewBatch(), seq))
}

// numbers are all scores that a store has of the files.
func (x *clones) numbers(s *hot.Store) (out []float64) {
	x.Helper()
	v := s.View(x.began.Add(2 * time.Hour))
	var vs []*hot.Values
	members := map[hot.Noun][]string{hot.NounNone: {""}, hot.NounFile: append([]string{"x0", "x1"}, cloneFiles...),
		hot.NounTag: {"go"}, hot.NounTerm: {"wire", "retry"}}
	for _, f := range hot.Families {
		for _, o := range members[f.Owner] {
			vs = append(vs, v.OwnedOf(f, o, members[f.Member]))
		}
	}
	x.check(v.Load(x.Context()))
	for _, v := range vs {
		out = append(out, v.Value...)
	}
	return out
}

// server is what the server has.
func (x *clones) server() (*hot.Store, error) {
	s, err := redis.Open(x.Context(), redis.Options{URL: x.url, Repo: x.repo, Writer: "onlooker"})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Load(x.Context()); err != nil {
		return nil, err
	}
	return s.Mirror().Scores, nil
}

// agree waits until the server has what the twin has, unless that is nil, and every clone reads from a mirror with the same.
func (x *clones) agree(what string, twin *hot.Store) {
	x.Helper()
	last := ""
	defer func() {
		if x.Failed() {
			x.Logf("%s: %s", what, last)
		}
	}()
	fault.Until(x, time.Minute, what, func() bool {
		server, err := x.server()
		if err != nil {
			last = err.Error()
			return false
		}
		want := x.numbers(server)
		if twin != nil {
			if last = apart(x.numbers(twin), want); last != "" {
				last = "the server: " + last
				return false
			}
		}
		for i, c := range x.all {
			m := &c.sharing.mirrors
			m.mu.Lock()
			mirror := m.shared
			m.mu.Unlock()
			if mirror == nil {
				last = fmt.Sprintf("clone %d has no mirror", i)
				return false
			}
			if last = apart(want, x.numbers(mirror.Scores)); last != "" {
				last = fmt.Sprintf("mirror %d: %s", i, last)
				return false
			}
			if c.sharing.behind() {
				last = fmt.Sprintf("clone %d has not sent all", i)
				return false
			}
		}
		return true
	})
}

func apart(want, got []float64) string {
	n, first := 0, ""
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
			if n++; first == "" {
				first = fmt.Sprintf("number %d is %v, not %v", i, got[i], want[i])
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d differ, %s", n, len(want), first)
}

// shareFault is something that happens to the server while clones write, and how it ends.
type shareFault struct {
	what       string
	hurt, heal func()
}

// TestClonesAgree: three clones learn at once while the server suffers one fault after the other. After each round the
// server, every mirror, and a store that learned all logs have the same scores.
func TestClonesAgree(t *testing.T) {
	t.Run("miniredis", func(t *testing.T) {
		m := miniredis.RunT(t)
		nothing := func() {}
		reply := func(text string) func() { return func() { m.SetError(text) } }
		another := func() {
			addr := m.Addr()
			m.Close()
			m = miniredis.NewMiniRedis()
			if err := m.StartAddr(addr); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Close)
		}
		clonesAgree(t, "redis://"+m.Addr(), func(x *clones) []shareFault {
			return []shareFault{
				{"none", nothing, nothing},
				{"gone", func() { m.Close() }, func() {
					m.Ctx, m.CtxCancel = context.WithCancel(context.Background()) // else it answers no XREAD that waits
					x.check(m.Restart())
				}},
				{"emptied", func() { m.FlushAll() }, nothing},
				{"stream cut", func() { m.Del("aoa:2:{" + x.repo + "}:stream") }, nothing},
				{"read-only", reply("READONLY You can't write against a read only replica."), reply("")},
				{"full", reply("OOM command not allowed when used memory > 'maxmemory'."), reply("")},
				{"another server", another, nothing},
			}
		})
	})
	url := os.Getenv("AOA_TEST_REDIS")
	if url == "" {
		return
	}
	t.Run("server", func(t *testing.T) {
		o, err := goredis.ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		client := goredis.NewClient(o)
		defer client.Close()
		ctx, nothing := t.Context(), func() {}
		clonesAgree(t, url, func(x *clones) []shareFault {
			key := func(rest string) string { return "aoa:2:{" + x.repo + "}:" + rest }
			return []shareFault{
				{"connections cut", func() { x.check(client.Do(ctx, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err()) }, nothing},
				{"paused", func() { x.check(client.Do(ctx, "CLIENT", "PAUSE", "300", "ALL").Err()) }, nothing},
				{"read-only", func() { x.check(client.Do(ctx, "REPLICAOF", "127.0.0.1", "1").Err()) },
					func() { x.check(client.Do(ctx, "REPLICAOF", "NO", "ONE").Err()) }},
				{"full", func() { x.check(client.ConfigSet(ctx, "maxmemory", "1mb").Err()) },
					func() { x.check(client.ConfigSet(ctx, "maxmemory", "0").Err()) }},
				{"stream cut", func() { x.check(client.XTrimMaxLen(ctx, key("stream"), 0).Err()) }, nothing},
				{"emptied", func() {
					keys, err := client.Keys(ctx, "aoa:2:{"+x.repo+"}:*").Result()
					x.check(err)
					x.check(client.Del(ctx, append(keys, "none")...).Err())
				}, nothing},
			}
		})
	})
}

func clonesAgree(t *testing.T, url string, faults func(*clones) []shareFault) {
	x := newClones(t, url, 3)
	book := fault.Open(t, "three clones, "+filepath.Base(t.Name()))
	r := rand.New(rand.NewPCG(4, 4))
	for round := range fault.Size(1, fault.Rounds()) {
		for _, f := range append(faults(x), shareFault{"daemon restarted", nil, nil}) {
			x.commits += 3
			var writers sync.WaitGroup
			for i, c := range x.all {
				if f.hurt == nil && i == r.IntN(3) {
					c.end()
					c.start()
				}
				writers.Go(func() { c.work(20, x.commits) })
			}
			if f.hurt != nil {
				fault.Pass(time.Duration(r.IntN(30)) * time.Millisecond)
				f.hurt()
				fault.Pass(time.Duration(r.IntN(100)) * time.Millisecond)
				f.heal()
			}
			writers.Wait()
			x.agree(fmt.Sprintf("round %d, %s", round, f.what), x.twin())
			book.Add(fault.Whole, 1)
		}
	}
	// A rename of a file that others go on to write under its old name depends on the order, so there is no twin.
	var writers sync.WaitGroup
	for i, c := range x.all {
		writers.Go(func() {
			for n := range 4 {
				c.work(5, x.commits)
				_, err := c.events.Append(c.Context(),
					[]event.Event{{ID: fmt.Sprintf("rename:%040x:0", 10*i+n), Kind: event.KindRename, Agent: "git", OK: true,
						Time: time.Now(), From: event.Paths([]string{cloneFiles[(i+n)%6]}),
						Paths: event.Paths([]string{fmt.Sprint("x", n%2)})}})
				c.check(err)
			}
		})
	}
	writers.Wait()
	x.agree("renames", nil)
}
