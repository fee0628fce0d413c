package main

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/aoa-dev/aoa/prefetch"
)

// dumpLine is a line of a dump, read without the types of the package.
type dumpLine struct {
	Repo, Session, Task, Moment string
	Seq, Shown                  int
	Paths, Truth                []string
	P                           []float64
}

// TestRescore computes the table again from the dump, with code of its own: what is printed must be what was decided.
func TestRescore(t *testing.T) {
	var out bytes.Buffer
	d := newDump(&out)
	r, err := run(t.Context(), invented(t), settings{threshold: prefetch.Balanced, dump: d})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.flush(); err != nil {
		t.Fatal(err)
	}
	lines := map[string][]dumpLine{}
	for dec := json.NewDecoder(&out); dec.More(); {
		var l dumpLine
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		lines[l.Repo] = append(lines[l.Repo], l)
	}
	for _, repo := range r.Repos {
		got, want := rescore(lines[repo.Name]), printed(repo)
		if len(got) < 20 {
			t.Errorf("%s: only %d numbers come out of the dump", repo.Name, len(got))
		}
		for name, w := range want {
			g, ok := got[name]
			if !ok || math.Abs(g-w) > 1e-9 {
				t.Errorf("%s %s: the table says %v, the dump %v", repo.Name, name, w, g)
			}
		}
	}
}

// printed are the numbers of the table that a dump can tell.
func printed(r Repo) map[string]float64 {
	t := r.Tasks
	return map[string]float64{
		"T1 n": float64(t.T1.N), "T1 any5": t.T1.Any5, "T1 p5": t.T1.P5, "T1 recall10": t.T1.Recall10,
		"T2 last n": float64(t.T2.N), "T2 last 1": t.T2.Hit1, "T2 last 3": t.T2.Hit3, "T2 last 5": t.T2.Hit5, "T2 last 10": t.T2.Hit10,
		"T3 last n": float64(t.T3.N), "T3 last 1": t.T3.Hit1, "T3 last 3": t.T3.Hit3, "T3 last 5": t.T3.Hit5, "T3 last 10": t.T3.Hit10,
		"T2 after n": float64(t.T2.After.N), "T2 after 5": t.T2.After.Hit5, "T3 after n": float64(t.T3.After.N), "T3 after 5": t.T3.After.Hit5,
		"T4 change n": float64(t.T4.N), "T4 change 1": t.T4.Hit1, "T4 change 5": t.T4.Hit5,
		"T5 precision": t.T5.Precision, "T5 recall": t.T5.Recall, "T5 false": t.T5.FalsePer100,
		"shown n": float64(t.Shown.N), "shown precision": t.Shown.Precision, "shown coverage": t.Shown.Coverage,
		"shown_unseen n": float64(t.ShownUnseen.N), "shown_unseen precision": t.ShownUnseen.Precision, "shown_unseen coverage": t.ShownUnseen.Coverage,
		"left out": float64(r.Counts.LeftOut), "opens": float64(r.Counts.Opens),
	}
}

// rescore reads the lines from first to last, as docs/evaluation.md says.
func rescore(lines []dumpLine) map[string]float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	add := func(name string, v, of float64) { sum[name], n[name] = sum[name]+v, n[name]+of }
	counted := map[string]map[string]bool{"shown": {}, "shown_unseen": {}}
	out := map[string]float64{}
	for _, l := range lines {
		right := map[string]bool{}
		for _, f := range l.Truth {
			right[f] = true
		}
		first, in5, in10 := 0, 0.0, 0.0
		for i, f := range l.Paths {
			if !right[f] {
				continue
			}
			if first == 0 {
				first = i + 1
			}
			if i < 5 {
				in5++
			}
			in10++
		}
		switch l.Task {
		case "T1":
			out["T1 n"]++
			add("T1 any5", yes(in5 > 0), 1)
			add("T1 p5", in5/5, 1)
			add("T1 recall10", in10/float64(len(l.Truth)), 1)
		case "T2", "T3", "T4":
			name := l.Task + " " + l.Moment
			out[name+" n"]++
			for _, k := range []struct {
				at   int
				name string
			}{{1, " 1"}, {3, " 3"}, {5, " 5"}, {10, " 10"}} {
				add(name+k.name, yes(first > 0 && first <= k.at), 1)
			}
		case "T5":
			if l.Moment == "complete" {
				add("T5 false", 100*float64(l.Shown), 1)
				break
			}
			hit := yes(first > 0 && first <= l.Shown)
			add("T5 precision", hit, float64(l.Shown))
			add("T5 recall", hit, 1)
		case "shown", "shown_unseen":
			for _, f := range l.Paths[:l.Shown] {
				if key := l.Session + "\x00" + f; !counted[l.Task][key] {
					counted[l.Task][key] = true
					out[l.Task+" n"]++
					add(l.Task+" precision", yes(right[f]), 1)
				}
			}
		}
		if l.Task == "named" || (l.Task == "T2" || l.Task == "T3") && l.Moment == "last" {
			key := l.Session + "\x00" + l.Truth[0]
			out["opens"]++
			add("shown coverage", yes(counted["shown"][key]), 1)
			if l.Task == "named" {
				out["left out"]++
			} else {
				add("shown_unseen coverage", yes(counted["shown_unseen"][key]), 1)
			}
		}
	}
	for name, v := range sum {
		out[name] = v / max(n[name], 1)
	}
	for _, name := range []string{"shown n", "shown_unseen n", "left out", "opens", "shown precision",
		"shown_unseen precision"} {
		out[name] += 0 // a table may say 0
	}
	return out
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
