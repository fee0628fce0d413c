package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/rank"
)

// big adds what takes minutes: a million files.
var big = os.Getenv("BIG") != ""

// BenchmarkRanking asks the ranker itself, without the socket.
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
			w.rank(b, budget)
		})
	}
}

// backing is a store that knows n files, and a session that works in a corner of them.
type backing struct {
	files    []event.Path
	store    *hot.Store
	sessions *session.Sessions
	tree     *index.Tree
	now      time.Time
}

func newBacking(b *testing.B, n int) *backing {
	b.Helper()
	w := &backing{files: make([]event.Path, n), now: time.Now()}
	for i := range w.files {
		w.files[i] = name(i)
	}
	w.tree = index.NewTree(w.files)
	w.tree.Word("") // the daemon makes the index of words at the start, too
	w.store, w.sessions = hot.New(nil), session.New()
	w.fill(b, w.store, w.sessions)
	return w
}

func (w *backing) fill(b *testing.B, s *hot.Store, sessions *session.Sessions) {
	b.Helper()
	known(s, w.files, w.now)
	learn.New(s).Learn(sessions, workedIn(w.files, w.now)...)
}

func (w *backing) rank(b *testing.B, budget float64) {
	r := rank.New(w.store, w.sessions, func() *index.Tree { return w.tree }, rank.Options{})
	var ts times
	b.ReportAllocs()
	for b.Loop() {
		begin := time.Now()
		ranking, err := r.Score(b.Context(), event.Query{Task: event.TaskOpen, Session: "s", Current: w.files[5], At: w.now})
		if err != nil || len(ranking.Files) == 0 {
			b.Fatal(ranking, err)
		}
		for i := range min(5, len(ranking.Files)) {
			ranking.Suggestion(b.Context(), i, false)
		}
		ranking.Done()
		ts.since(begin)
	}
	ts.report(b, budget)
}
