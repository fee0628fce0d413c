package hot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/rank"
)

// stream is some weeks of work in one repository, the same at every call: commits of neighbouring files, sessions of
// prompts, reads, edits and searches, renames, saves, and a tick every few hours.
func stream() (batches [][]aoa.Event, files []aoa.Path, end time.Time) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 120 {
		files = append(files, aoa.Path(fmt.Sprintf("pkg%d/part%d/file%d.go", i/30, i/10, i)))
	}
	words := []string{"login", "token", "cache", "retry", "parser", "socket"}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	n := 0
	event := func(k aoa.Kind, e aoa.Event) aoa.Event {
		n++
		e.Kind, e.OK, e.Time = k, true, at
		if e.ID == "" {
			e.ID = fmt.Sprint("e", n)
		}
		at = at.Add(time.Duration(1+r.IntN(90)) * time.Second)
		return e
	}
	near := func(i int) aoa.Path { return files[(i+r.IntN(6))%len(files)] }
	for day := range 60 {
		var b []aoa.Event
		place := r.IntN(len(files))
		for range 1 + r.IntN(3) {
			c := event(aoa.KindCommit, aoa.Event{ID: fmt.Sprintf("commit:%040x", n), Agent: "git", Terms: []string{words[r.IntN(6)]}})
			for range 1 + r.IntN(5) {
				c.Paths = append(c.Paths, near(place))
			}
			b = append(b, c)
		}
		if day%9 == 4 {
			i := r.IntN(len(files))
			to := files[i] + "x"
			b = append(b, event(aoa.KindRename, aoa.Event{Agent: "git", From: []aoa.Path{files[i]}, Paths: []aoa.Path{to}}))
			files[i] = to
		}
		id := fmt.Sprint("s", day/2)
		b = append(b, event(aoa.KindPrompt, aoa.Event{Session: id, Agent: "claude", Terms: []string{words[r.IntN(6)], words[r.IntN(6)]}, Named: []aoa.Path{near(place)}}))
		for range 40 {
			k := []aoa.Kind{aoa.KindRead, aoa.KindRead, aoa.KindEdit, aoa.KindWrite, aoa.KindSearch, aoa.KindRun, aoa.KindSave}[r.IntN(7)]
			e := aoa.Event{Session: id, Agent: "claude", Tags: []string{"go"}}
			if k == aoa.KindSearch || k == aoa.KindRun {
				e.Terms, e.Seen = []string{words[r.IntN(6)]}, []aoa.Path{near(place), near(place)}
			} else {
				e.Paths = []aoa.Path{near(place)}
			}
			b = append(b, event(k, e))
		}
		at = at.Add(time.Duration(2+r.IntN(20)) * time.Hour)
		b = append(b, event(aoa.KindTick, aoa.Event{Agent: "cron"}))
		for chunk := range slices.Chunk(b, 11) {
			batches = append(batches, chunk)
		}
	}
	return batches, files, at
}

// answers learns the stream into a store and asks, in between and at the end, what comes next.
func answers(t *testing.T, url string) (asked int, out []aoa.Suggestion) {
	t.Helper()
	s, err := hot.Open(t.Context(), hot.Options{URL: url, Repo: "stream-" + fmt.Sprint(rand.Uint64())})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := learn.New(s, learn.Options{})
	batches, files, end := stream()
	tree := aoa.NewTree(files)
	ranker := rank.New(s, func() *aoa.Tree { return tree }, rank.Options{})
	for i, b := range batches {
		if err := l.Learn(t.Context(), b, int64(i+1)); err != nil {
			t.Fatal(err)
		}
		if i%20 != 0 && i != len(batches)-1 {
			continue
		}
		last := b[len(b)-1].Time
		for _, q := range []aoa.Query{{Session: b[len(b)-1].Session}, {Session: "s3", Prompt: "login cache"}, {Current: files[i%len(files)]}, {}} {
			if q.At = last; i == len(batches)-1 {
				q.At = end
			}
			q.Limit = 20
			ans, err := ranker.Rank(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			out = append(append(out, aoa.Suggestion{File: aoa.Path(fmt.Sprintf("question %d", asked))}), ans.Suggestions...)
			asked++
		}
	}
	return asked, out
}

// TestDifferentialStream: the same work leads to the same answers on every back end, in order, and to 1e-9.
func TestDifferentialStream(t *testing.T) {
	hot.NeedServer(t, "redis-server")
	batches, _, _ := stream()
	events := len(slices.Concat(batches...))
	asked, want := answers(t, "")
	if len(want) < 5*asked {
		t.Fatalf("%d answers to %d questions", len(want)-asked, asked)
	}
	for _, p := range hot.Places {
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
