package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// tally adds up one task of one repository.
type tally struct{ n, a, b, c float64 }

// measure counts what the weights reach on one repository: T1 any of 5, recall of 10, MRR · T2, T3, T4 hit at 1, 5, MRR · T5
// precision, recall, false alarms per 100 at 0.60.
func (m *weights) measure(s *set, repo int) map[string]float64 {
	t := map[string]*tally{"T1": {}, "T2": {}, "T3": {}, "T4": {}}
	var warned, right, withheld, complete, alarms float64
	for i := range s.Questions {
		q := &s.Questions[i]
		if q.Repo != repo || q.After || q.Truth == 0 && q.Moment != event.TaskChange {
			continue
		}
		switch q.Moment {
		case event.TaskPrompt:
			t["T1"].list(q, m.order(q, answer))
		case event.TaskNext:
			t["T2"].single(q, m.order(q, unseen), q.Unseen)
			t["T3"].single(q, m.order(q, func(f *file) bool { return f.Seen && !f.Out }), q.Truth-q.Unseen)
		case event.TaskChange:
			order := m.order(q, yes)
			sure := len(order) > 0 && m.probability(q, &q.Files[order[0]]) >= 0.6
			if !q.Left {
				complete++
				alarms += truth(sure)
				continue
			}
			t["T4"].single(q, order, 1)
			withheld++
			if sure {
				warned++
				right += truth(q.Files[order[0]].Target)
			}
		}
	}
	out := map[string]float64{"T5.precision": right / max(warned, 1), "T5.recall": right / max(withheld, 1), "T5.false_per_100": 100 * alarms / max(complete, 1)}
	m.shown(s, repo, out)
	for name, t := range t {
		labels := [3]string{"hit1", "hit5", "mrr"}
		if name == "T1" {
			labels = [3]string{"any5", "recall10", "mrr"}
		}
		out[name+".n"] = t.n
		for i, v := range []float64{t.a, t.b, t.c} {
			out[name+"."+labels[i]] = v / max(t.n, 1)
		}
	}
	return out
}

func (t *tally) list(q *question, order []int) {
	in5, in10, first := 0.0, 0.0, 0.0
	for r, i := range order {
		if !q.Files[i].Target {
			continue
		}
		if r < 5 {
			in5 = 1
		}
		if r < 10 {
			in10++
		}
		if first == 0 {
			first = 1 / float64(1+r)
		}
	}
	t.n, t.a, t.b, t.c = t.n+1, t.a+in5, t.b+in10/float64(q.Truth), t.c+first
}

func (t *tally) single(q *question, order []int, truths int) {
	t.n += float64(truths)
	for r, i := range order {
		if q.Files[i].Target {
			t.a, t.b, t.c = t.a+truth(r < 1), t.b+truth(r < 5), t.c+1/float64(1+r)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// leaveOneOut fits without each repository in turn.
func leaveOneOut(s *set, without func(string) bool) []*weights {
	fitted := make([]*weights, len(s.Repos))
	_ = eval.Each(context.Background(), len(s.Repos), func(_ context.Context, repo int) error { // fitting does not fail
		fitted[repo] = fitOn(s, func(r int) bool { return r != repo }, without)
		return nil
	})
	return fitted
}

// measureLeft measures on each repository with the weights that were fitted without it.
func measureLeft(s *set, fitted []*weights) (per map[string]map[string]float64, macro map[string]float64) {
	per, macro = map[string]map[string]float64{}, map[string]float64{}
	for repo, name := range s.Repos {
		per[name] = fitted[repo].measure(s, repo)
		for k, v := range per[name] {
			macro[k] += v / float64(len(s.Repos))
		}
	}
	for _, m := range append([]map[string]float64{macro}, values(per, s.Repos)...) {
		for k, v := range m {
			m[k] = math.Round(v*1000) / 1000
		}
	}
	return per, macro
}

func values(per map[string]map[string]float64, names []string) (out []map[string]float64) {
	for _, n := range names {
		out = append(out, per[n])
	}
	return out
}

func line(label string, m map[string]float64) {
	fmt.Fprintf(os.Stderr, "%-28s T1 %.3f/%.3f/%.3f  T2 %.3f/%.3f/%.3f  T3 %.3f/%.3f/%.3f  T4 %.3f/%.3f/%.3f  T5 P %.2f R %.2f f %.1f  shown ECE %.3f .60 %.2f (%.0f) .75 %.2f (%.0f)\n", label,
		m["T1.any5"], m["T1.recall10"], m["T1.mrr"], m["T2.hit1"], m["T2.hit5"], m["T2.mrr"], m["T3.hit1"], m["T3.hit5"], m["T3.mrr"],
		m["T4.hit1"], m["T4.hit5"], m["T4.mrr"], m["T5.precision"], m["T5.recall"], m["T5.false_per_100"],
		m["shown.ece"], m["shown.60.precision"], m["shown.60.n"], m["shown.75.precision"], m["shown.75.n"])
}

func nothing(string) bool { return false }

// fitAll fits on every repository; what is measured beside it was fitted without the one measured on.
func fitAll(s *set, fitted []*weights) rank.File {
	per, macro := measureLeft(s, fitted)
	for _, name := range s.Repos {
		line(short(name), per[name])
	}
	line("macro, left out", macro)
	out := fitOn(s, func(int) bool { return true }, nothing).file(s)
	out.About = "Fitted by internal/eval/train on recorded sessions of agents in thirteen public repositories and their histories, and on the commit messages of public histories; " +
		"measured holds what weights reach on a repository that they were not fitted on, and the mean of all."
	if s.change != nil {
		out.About += " The weights of the moment change are those of an earlier fit on the same repositories, and so are T4 and T5: " +
			"fitted again, T4 gains a hundredth and T5 loses precision."
	}
	out.Command = "make train"
	out.Questions = len(s.Questions)
	out.Measured = map[string]map[string]float64{"macro": macro}
	for name, m := range per {
		out.Measured[name] = m
	}
	return out
}

// families are the signals that an ablation takes away together.
var families = []string{"recency_,frequency", "comod,comod_mean,comod_last,comod_back,support,comod_rank", "session,session_last,session_back,sessions,session_rank,successor", "terms,terms_rank",
	"words,words_rank,name", "pattern_", "contents,pattern_contents", "defines,calls", "kin,kind_share,asks_,late_test,early_document", "size,fresh_committed", "listed_left,listed_skipped,listed_turns,listed_fresh", "identifiers,alike,alike_rank,named_alike,seed_alike", "named_", "seed_",
	"listed_", "content_", "mentioned,seen_before,in_command,command_recent", "directory,folder_,depth,document,test", "pair",
	"committed,uncommitted,churn,never"}

func ablation(s *set) error {
	_, all := measureLeft(s, leaveOneOut(s, nothing))
	line("all", all)
	for _, family := range families {
		_, m := measureLeft(s, leaveOneOut(s, func(name string) bool {
			for _, p := range strings.Split(family, ",") {
				if name == p || strings.HasSuffix(p, "_") && strings.HasPrefix(name, p) {
					return true
				}
			}
			return false
		}))
		line("- "+family, m)
	}
	return nil
}
