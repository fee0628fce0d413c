package redis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/hot/redis"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/rank"
)

// stream is some weeks of work in one repository, the same at every call: commits of neighbouring files, sessions of
// prompts, reads, edits and searches, renames, saves, and a tick every few hours.
func stream() (batches [][]event.Event, files []event.Path, end time.Time) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 120 {
		files = append(files, event.Path(fmt.Sprintf("pkg%d/part%d/file%d.go", i/30, i/10, i)))
	}
	words := []string{"login", "token", "cache", "retry", "parser", "socket"}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	n := 0
	ev := func(k event.Kind, e event.Event) event.Event {
		n++
		e.Kind, e.OK, e.Time = k, true, at
		if e.ID == "" {
			e.ID = fmt.Sprint("e", n)
		}
		at = at.Add(time.Duration(1+r.IntN(90)) * time.Second)
		return e
	}
	near := func(i int) event.Path { return files[(i+r.IntN(6))%len(files)] }
	for day := range 60 {
		var b []event.Event
		place := r.IntN(len(files))
		for range 1 + r.IntN(3) {
			c := ev(event.KindCommit, event.Event{ID: fmt.Sprintf("commit:%040x", n), Agent: "git", Terms: []string{words[r.IntN(6)]}})
			for range 1 + r.IntN(5) {
				c.Paths = append(c.Paths, near(place))
			}
			b = append(b, c)
		}
		if day%9 == 4 {
			i := r.IntN(len(files))
			to := files[i] + "x"
			b = append(b, ev(event.KindRename, event.Event{Agent: "git", From: []event.Path{files[i]}, Paths: []event.Path{to}}))
			files[i] = to
		}
		id := fmt.Sprint("s", day/2)
		b = append(b, ev(event.KindPrompt, event.Event{Session: id, Agent: "claude",
			Terms: []string{words[r.IntN(6)], words[r.IntN(6)]}, Named: []event.Path{near(place)}}))
		for range 40 {
			k := []event.Kind{event.KindRead, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch,
				event.KindRun, event.KindSave}[r.IntN(7)]
			e := event.Event{Session: id, Agent: "claude", Tags: []string{"go"}}
			if k == event.KindSearch || k == event.KindRun {
				e.Terms, e.Seen = []string{words[r.IntN(6)]}, []event.Path{near(place), near(place)}
			} else {
				e.Paths = []event.Path{near(place)}
			}
			b = append(b, ev(k, e))
		}
		at = at.Add(time.Duration(2+r.IntN(20)) * time.Hour)
		b = append(b, ev(event.KindTick, event.Event{Agent: "cron"}))
		for chunk := range slices.Chunk(b, 11) {
			batches = append(batches, chunk)
		}
	}
	return batches, files, at
}

// answers learns the stream into a store in memory, and with a url also into a server whose mirror the store's views read
// scores from. It asks, in between and at the end, what comes next.
func answers(t *testing.T, url string) (asked int, out []event.Suggestion) {
	t.Helper()
	s, sessions := hot.New(nil), live.New()
	learners, sync := []*learn.Learner{learn.New(s, sessions, learn.Options{})}, func() {}
	if url != "" {
		server, err := redis.Open(t.Context(), redis.Options{URL: url, Repo: "stream-" + fmt.Sprint(rand.Uint64())})
		if err == nil {
			defer server.Close()
			err = server.Load(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Share(server.Mirror().Scores)
		learners = append(learners, learn.New(server, live.New(), learn.Options{}))
		sync = func() {
			if err := server.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	batches, files, end := stream()
	tree := index.NewTree(files)
	ranker := rank.New(s, sessions, func() *index.Tree { return tree }, rank.Options{})
	for i, b := range batches {
		for _, l := range learners {
			if err := l.Learn(t.Context(), b, int64(i+1)); err != nil {
				t.Fatal(err)
			}
		}
		if i%20 != 0 && i != len(batches)-1 {
			continue
		}
		sync()
		last := b[len(b)-1].Time
		for _, q := range []event.Query{{Session: b[len(b)-1].Session}, {Session: "s3", Prompt: "login cache"},
			{Current: files[i%len(files)]}, {}} {
			if q.At = last; i == len(batches)-1 {
				q.At = end
			}
			q.Limit = 20
			ans, err := ranker.Rank(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			out = append(append(out, event.Suggestion{File: event.Path(fmt.Sprintf("question %d", asked))}), ans.Suggestions...)
			asked++
		}
	}
	return asked, out
}

// TestDifferentialStream: the same work leads to the same answers on every back end, in order, and to 1e-9.
func TestDifferentialStream(t *testing.T) {
	batches, _, _ := stream()
	events := len(slices.Concat(batches...))
	asked, want := answers(t, "")
	if len(want) < 5*asked {
		t.Fatalf("%d answers to %d questions", len(want)-asked, asked)
	}
	for _, p := range redis.Places {
		t.Run(p.Name, func(t *testing.T) {
			_, got := answers(t, p.Open(t))
			if len(got) != len(want) {
				t.Fatalf("%d suggestions, not %d", len(got), len(want))
			}
			for i, w := range want {
				if got[i].File != w.File || math.Abs(got[i].Score-w.Score) > 1e-9 {
					t.Fatalf("suggestion %d: %s %v, not %s %v", i, got[i].File, got[i].Score, w.File, w.Score)
				}
			}
			t.Logf("%d events learned, %d questions, %d suggestions in order, scores to 1e-9", events, asked, len(want)-asked)
		})
	}
}
