package main

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
)

// taught is a set of baselines that saw: a.go opened five times long ago, b.go once just now, c.go in a commit with
// b.go.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func taught() (*baselines, time.Time) {
	r := newBaselines()
	open := func(session string, at time.Time, files ...event.Path) {
		for i, f := range files {
			r.learn(event.Event{Session: session, Time: at.Add(time.Duration(i) * time.Second),
				Body: event.Call{Act: event.ActRead, Paths: []event.Path{f}}})
		}
	}
	r.learn(event.Event{Time: noon.Add(-100 * 24 * time.Hour),
		Body: event.Commit{Paths: []event.Path{"b.go",
			"c.go", "never.go"}}})
	r.learn(event.Event{Time: noon.Add(-99 * 24 * time.Hour), Body: event.Commit{Paths: []event.Path{"b.go",
		"c.go"}}})
	for i := range 5 {
		open(fmt.Sprint("old", i), noon.Add(-20*24*time.Hour), "a.go", "b.go", "a.go")
	}
	open("new", noon.Add(-time.Minute), "b.go")
	return r, noon
}

func TestBaselines(t *testing.T) {
	r, now := taught()
	d := &eval.Decision{Session: "new", Query: event.Query{Task: event.TaskNext, Session: "new", At: now}}
	scores := func(name string) map[event.Path]float64 {
		c := r.comparison(d)
		out := make([]float64, len(r.Files))
		c.score(name, out)
		named := map[event.Path]float64{}
		for i, v := range out {
			named[r.Files[i].Path] = v
		}
		return named
	}
	age := 20*24*3600.0 - 2
	for _, c := range []struct {
		name string
		file event.Path
		want float64
	}{
		{"recent", "a.go", float64(now.Unix()) - age}, {"recent", "never.go", float64(now.Unix()) - 100*24*3600},
		{"frequent", "a.go", 10}, {"frequent", "never.go", 1},
		{"zoxide", "a.go", 10 * .25}, {"zoxide", "b.go", 8 * 4},
		{"frecency", "a.go", 10 * math.Exp2(-20./3)}, {"frecency", "b.go", 1 + 5*math.Exp2(-20./3)},
		{"cochange", "c.go", .99}, {"cochange", "never.go", 1 / 2.01},
		{"coaccess", "a.go", 5 / 6.01}, {"coaccess", "c.go", 0},
		{"successor", "a.go", 5}, {"successor", "c.go", 0},
		// 20 days old, ten touches, near the file in hand ten times: frequency, edges, affinity and nothing else.
		{"seed", "a.go", .20*math.Log(11)/math.Log(101) + .15*min(1,
			r.close.With[r.Number("b.go")][r.Number("a.go")]/10) + .10*5/6.01},
		{"seed", "never.go", .20*math.Log(2)/math.Log(101) + .15/10 + .2},
	} {
		if got := scores(c.name)[c.file]; math.Abs(got-c.want) > 1e-3 {
			t.Errorf("%s of %s is %v, want %v", c.name, c.file, got, c.want)
		}
	}
	// never.go is open to none: places count the files that are not, ties are shared.
	c := r.comparison(d)
	if got := c.place([]float64{1, 3, 2, 3}, r.Files[2].Path, every); got == 0 {
		t.Error("a file with a score has a place")
	}
	if got := c.place(make([]float64, len(r.Files)), "a.go", every); got != 0 {
		t.Errorf("a file without a score stands at %d", got)
	}
}

// TestZoxideAges: ranks that add up to too much shrink, and those below one go.
func TestZoxideAges(t *testing.T) {
	r := newBaselines()
	id, rare := r.Number("a.go"), r.Number("b.go")
	r.touch(rare, 1)
	for i := range zoxideMaxAge {
		r.touch(id, float64(i*1000))
	}
	if r.more[rare].visit != 0 || r.total > zoxideMaxAge || math.Abs(r.more[id].visit-.9*zoxideMaxAge) > 2 {
		t.Errorf("ranks %v and %v of %v", r.more[id].visit, r.more[rare].visit, r.total)
	}
}

// TestShares: equal scores share their places.
func TestShares(t *testing.T) {
	r := newBaselines()
	for _, f := range []event.Path{"a", "b", "c", "d", "e"} {
		r.Files[r.Number(f)].There = true
	}
	c := r.comparison(&eval.Decision{})
	for _, w := range []struct {
		scores []float64
		want   int
	}{{[]float64{1, 2, 3, 4, 5}, 5}, {[]float64{5, 1, 1, 1, 1}, 1}, {[]float64{1, 1, 1, 1, 1}, 3}, {[]float64{1, 1, 0,
		0, 2}, 2}} {
		if got := c.place(w.scores, "a", every); got != w.want {
			t.Errorf("place %d among %v, want %d", got, w.scores, w.want)
		}
	}
	if got := fmt.Sprint(c.Top([]float64{1, 3, 3, 0, 2}, 10, every)); got != "[b c e a]" {
		t.Errorf("top is %s", got)
	}
}

func every(event.Path) bool { return true }
