package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/rank"
)

// big adds what takes minutes: a million files, a million events.
var big = os.Getenv("BIG") != ""

// BenchmarkRanking asks the ranker itself, without the socket, beside the obvious way, which joins a score of every
// file with ZUNIONSTORE and takes the first ten: in miniredis, and on a Redis server over a unix socket and over TCP.
func BenchmarkRanking(b *testing.B) {
	sizes := []int{1_000, 10_000, 100_000}
	if big {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newBacking(b, n)
			budget := 0.
			for _, c := range crowds {
				if c.files == n {
					budget = c.query
				}
			}
			b.Run("embedded", func(b *testing.B) { w.rank(b, budget) })
			b.Run("union-embedded", func(b *testing.B) {
				m := miniredis.NewMiniRedis()
				must(b, m.Start())
				defer m.Close()
				w.union(b, &redis.Options{Addr: m.Addr()})
			})
			if _, err := exec.LookPath("redis-server"); err != nil {
				b.Log("redis-server is not installed")
				return
			}
			for _, way := range []string{"unix", "tcp"} {
				s := serveRedis(b)
				o := &redis.Options{Addr: s.addr}
				if way == "unix" {
					o = &redis.Options{Network: "unix", Addr: s.socket}
				}
				b.Run("union-redis-"+way, func(b *testing.B) { w.union(b, o) })
			}
		})
	}
}

// backing is a store that knows n files, and a session that works in a corner of them.
type backing struct {
	files []event.Path
	store *hot.Store
	live  *live.Sessions
	tree  *index.Tree
	now   time.Time
}

func newBacking(b *testing.B, n int) *backing {
	b.Helper()
	w := &backing{files: make([]event.Path, n), now: time.Now()}
	for i := range w.files {
		w.files[i] = name(i)
	}
	w.tree = index.NewTree(w.files)
	w.tree.Word("") // the daemon makes the index of words at the start, too
	w.store, w.live = hot.New(nil), live.New()
	w.fill(b, w.store, w.live)
	return w
}

func (w *backing) fill(b *testing.B, s learn.Store, sessions *live.Sessions) {
	b.Helper()
	batch := hot.NewBatch()
	known(batch, w.files, w.now)
	must(b, s.Apply(b.Context(), batch, 1))
	must(b, learn.New(s, sessions, learn.Options{}).Learn(b.Context(), session(w.files, w.now), 2))
}

func (w *backing) rank(b *testing.B, budget float64) {
	r := rank.New(w.store, w.live, func() *index.Tree { return w.tree }, rank.Options{})
	var ts times
	b.ReportAllocs()
	for b.Loop() {
		begin := time.Now()
		answer, err := r.Rank(b.Context(), event.Query{Task: event.TaskNext, Session: "s", Current: w.files[5], At: w.now})
		ts.since(begin)
		if err != nil || len(answer.Suggestions) == 0 {
			b.Fatal(answer, err)
		}
	}
	ts.report(b, budget)
}

// union ranks everything in the store: five scores of each file, joined with their weights.
func (w *backing) union(b *testing.B, o *redis.Options) {
	ctx := context.Background()
	o.ReadTimeout, o.WriteTimeout = time.Minute, time.Minute
	c := redis.NewClient(o)
	defer c.Close()
	var keys []string
	for k := range 5 {
		keys = append(keys, fmt.Sprintf("{union}:%d", k))
		for i := 0; i < len(w.files); i += 1000 {
			var zs []redis.Z
			for j := i; j < min(i+1000, len(w.files)); j++ {
				zs = append(zs, redis.Z{Score: float64(j * (7 + k) % 1009), Member: string(w.files[j])})
			}
			must(b, c.ZAdd(ctx, keys[k], zs...).Err())
		}
	}
	var ts times
	b.ReportAllocs()
	for b.Loop() {
		begin := time.Now()
		must(b, c.ZUnionStore(ctx, "{union}:all", &redis.ZStore{Keys: keys, Weights: []float64{.3, .2, .2, .15, .15}}).Err())
		got, err := c.ZRevRangeWithScores(ctx, "{union}:all", 0, 9).Result()
		ts.since(begin)
		if err != nil || len(got) != 10 {
			b.Fatal(got, err)
		}
	}
	ts.report(b, 0)
}
