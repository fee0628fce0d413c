package rank

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// curious returns the models with every signal read, whatever its weight: a fit must see them all.
func curious() map[aoa.Moment]Model {
	models := Prior()
	for moment, m := range models {
		for s := range m.Weights {
			if m.Weights[s] == 0 {
				m.Weights[s] = 1e-9
			}
		}
		models[moment] = m
	}
	return models
}

// decide asks one question and keeps its candidates with what became of them.
func decide(t testing.TB, r *Ranker, q aoa.Query, target, used map[aoa.Path]bool) decision {
	t.Helper()
	g, err := r.gather(context.Background(), q, "")
	if err != nil {
		t.Fatal(err)
	}
	d := decision{session: q.Session, moment: momentOf(q), target: target}
	for _, c := range g.pool.list {
		d.examples = append(d.examples, example{x: c.values, used: used[c.path], unseen: c.unseen(g.setting), weight: 1, path: c.path})
	}
	return d
}

// TestCalibrationOfChanges leaves files out of recorded commits and asks for them.
//
//	go test ./rank -run CalibrationOfChanges -v -commits DIR [-fit]
func TestCalibrationOfChanges(t *testing.T) {
	if *replayCommits == "" {
		t.Skip("give -commits DIR to measure")
	}
	names := repositories(t, *replayCommits)
	all := map[string][]decision{}
	for _, name := range names {
		all[name] = leaveOut(t, readChanges(t, name+".commits.jsonl.gz"))
	}
	measure(t, names, all, aoa.MomentChange)
}

// leaveOut replays commits in order; from the newest 300 of 2 to 30 files it leaves one file out at a time (at
// most 4), and asks with one file alone (at most 2).
func leaveOut(t testing.TB, changes []change) []decision {
	w := newWorld(t)
	r := w.ranker(Options{Models: curious()})
	var ds []decision
	eligible := 0
	for _, c := range changes {
		if len(c.files) >= 2 && len(c.files) <= 30 {
			eligible++
		}
	}
	for _, c := range changes {
		if len(c.files) >= 2 && len(c.files) <= 30 {
			if eligible--; eligible < 300 {
				w.flush()
				ds = append(ds, questions(t, w, r, c)...)
			}
		}
		w.commit(c.at, c.subject, c.files...)
	}
	return ds
}

func questions(t testing.TB, w *world, r *Ranker, c change) []decision {
	var ds []decision
	known := make([]aoa.Path, 0, len(c.files))
	for _, f := range c.files {
		if w.tree.Has(f) {
			known = append(known, f)
		}
	}
	if len(known) < 2 {
		return nil
	}
	for i, f := range known {
		if i < 4 {
			target := map[aoa.Path]bool{f: true}
			rest := append(slices.Clone(known[:i]), known[i+1:]...)
			ds = append(ds, decide(t, r, aoa.Query{Moment: aoa.MomentChange, Files: rest, At: c.at, Session: ""}, target, target))
			ds[len(ds)-1].session = fmt.Sprint("loo ", c.at.UnixNano(), i)
		}
		if i < 2 {
			target := map[aoa.Path]bool{}
			for _, g := range known {
				target[g] = g != f
			}
			ds = append(ds, decide(t, r, aoa.Query{Moment: aoa.MomentChange, Files: []aoa.Path{f}, At: c.at}, target, target))
			ds[len(ds)-1].session = fmt.Sprint("one ", c.at.UnixNano(), i)
		}
	}
	return ds
}

// TestCalibrationOfSessions replays recorded sessions: at every prompt and after every opened file it asks for the
// files that the session opens next for the first time.
//
//	go test ./rank -run CalibrationOfSessions -v -sessions DIR [-fit]
func TestCalibrationOfSessions(t *testing.T) {
	if *replaySessions == "" {
		t.Skip("give -sessions DIR to measure")
	}
	names := repositories(t, *replaySessions)
	prompts, opens := map[string][]decision{}, map[string][]decision{}
	for _, name := range names {
		for _, d := range replay(t, readRows(t, name+".jsonl.gz"), readChanges(t, name+".commits.jsonl.gz")) {
			if d.moment == aoa.MomentPrompt {
				prompts[name] = append(prompts[name], d)
			} else {
				opens[name] = append(opens[name], d)
			}
		}
	}
	measure(t, names, opens, aoa.MomentOpen)
	measure(t, names, prompts, aoa.MomentPrompt)
}

// horizon is the number of file events within which a file must be opened to count as used.
const horizon = 10

// replay merges sessions and commits by time: predict, then learn.
func replay(t testing.TB, rows []row, changes []change) []decision {
	slices.SortStableFunc(rows, func(a, b row) int { return a.time().Compare(b.time()) })
	future := map[string][]aoa.Path{} // what a session still opens
	for _, r := range rows {
		if r.open() {
			future[r.Session] = append(future[r.Session], r.Path)
		}
	}
	w := newWorld(t)
	r := w.ranker(Options{Models: curious()})
	opened := map[string]map[aoa.Path]bool{}
	var ds []decision
	for _, e := range rows {
		for len(changes) > 0 && !changes[0].at.After(e.time()) {
			w.commit(changes[0].at, changes[0].subject, changes[0].files...)
			changes = changes[1:]
		}
		learnRow(w, e)
		if opened[e.Session] == nil {
			opened[e.Session] = map[aoa.Path]bool{}
		}
		if e.open() {
			opened[e.Session][e.Path] = true
			future[e.Session] = future[e.Session][1:]
		}
		if !e.open() && e.Kind != "prompt" {
			continue
		}
		target, used := upcoming(w.tree, future[e.Session], opened[e.Session], e.Kind == "prompt")
		w.flush()
		q := aoa.Query{Moment: aoa.MomentOpen, Session: e.Session, Current: e.Path, At: e.time()}
		if e.Kind == "prompt" {
			q = aoa.Query{Moment: aoa.MomentPrompt, Session: e.Session, Prompt: e.Text, At: e.time()}
		}
		ds = append(ds, decide(t, r, q, target, used))
	}
	return ds
}

// upcoming is the next file event's file if the session has not opened it before (at a prompt: the first such
// file within the horizon), and all such files within the horizon.
func upcoming(tree *aoa.Tree, future []aoa.Path, opened map[aoa.Path]bool, prompt bool) (target, used map[aoa.Path]bool) {
	target, used = map[aoa.Path]bool{}, map[aoa.Path]bool{}
	for i, f := range future[:min(len(future), horizon)] {
		if opened[f] || !tree.Has(f) {
			continue
		}
		if len(target) == 0 && (i == 0 || prompt) {
			target[f] = true
		}
		used[f] = true
	}
	return target, used
}

// learnRow learns one recorded event.
func learnRow(w *world, e row) {
	ev := aoa.Event{Time: e.time(), Session: e.Session, Named: e.Mentions, Seen: e.Results, Listing: e.ResultsKind == "listing",
		OK: e.OK == nil || *e.OK}
	if strings.HasSuffix(e.Agent, "-sub") {
		ev.Subagent = "sub"
	}
	switch e.Kind {
	case "prompt":
		ev.Kind, ev.Terms, ev.Named = aoa.KindPrompt, aoa.Terms(e.Text, aoa.MaxTerms), namedIn(e.Text, w.tree)
	case "read", "edit", "write":
		ev.Kind = aoa.Kind(e.Kind)
		if e.Path == "" {
			return
		}
		if e.Kind == "write" {
			w.tree.Add(e.Path)
		}
		ev.Paths, ev.Named = []aoa.Path{e.Path}, nil
	case "search", "bash":
		ev.Kind = aoa.KindSearch
		ev.Terms = aoa.Terms(e.Text, 8)
	case "failed":
		ev.Kind = aoa.KindFailed
	default:
		return
	}
	w.happen(ev)
}

// measure prints ranking and calibration of the shipped model, of a model fitted on the other repositories, and of
// two simple rankings, per repository and for all.
func measure(t *testing.T, names []string, all map[string][]decision, moment aoa.Moment) {
	shipped := Prior()[moment]
	fitted := map[string]Model{}
	if *replayFit {
		for _, name := range names {
			var rest []decision
			for _, other := range names {
				if other != name {
					rest = append(rest, all[other]...)
				}
			}
			fitted[name] = fitModel(rest, moment)
		}
		var every []decision
		for _, name := range names {
			every = append(every, all[name]...)
		}
		printModel(t, moment, fitModel(every, moment))
	}
	report := func(label string, model func(name string) Model) {
		var shown, unseen bins
		line := ""
		hit3, rr, n := 0.0, 0.0, 0
		for _, name := range names {
			m := model(name)
			h, mrr := hits(answerable(all[name]), 3, m.of)
			k := len(answerable(all[name]))
			line += fmt.Sprintf(" %s %.3f", strings.SplitN(filepath.Base(name), "+", 2)[1], h)
			hit3, rr, n = hit3+h*float64(k), rr+mrr*float64(k), n+k
			calibrate(all[name], m, &shown, &unseen)
		}
		t.Logf("%s %-8s n=%d hit@3 %.3f MRR %.3f |%s", moment, label, n, hit3/float64(n), rr/float64(n), line)
		for i := 4; i < 9; i++ {
			p, k := shown.above(i)
			pu, ku := unseen.above(i)
			t.Logf("%s %-8s p>=%.1f precision %.2f of %4.0f | unseen %.2f of %4.0f", moment, label, float64(i)/10, p, k, pu, ku)
		}
		t.Logf("%s %-8s ECE %.3f unseen %.3f", moment, label, shown.ece(), unseen.ece())
	}
	report("shipped", func(string) Model { return shipped })
	if *replayFit {
		report("fitted", func(name string) Model { return fitted[name] })
	}
	only := func(s Signal) func(string) Model {
		var w Values
		w[s] = 1
		return func(string) Model { return Model{Weights: w, Scale: Scale{1, 0}, Unseen: Scale{1, 0}} }
	}
	for _, s := range []Signal{Comod, RecencyDay, Committed, Mentioned} {
		m := only(s)("")
		h, mrr := 0.0, 0.0
		n := 0
		for _, name := range names {
			ds := answerable(all[name])
			a, b := hits(ds, 3, m.of)
			h, mrr, n = h+a*float64(len(ds)), mrr+b*float64(len(ds)), n+len(ds)
		}
		t.Logf("%s only %-10s hit@3 %.3f MRR %.3f", moment, s, h/float64(n), mrr/float64(n))
	}
}

// answerable are the decisions that have an answer.
func answerable(ds []decision) []decision {
	var out []decision
	for _, d := range ds {
		for _, yes := range d.target {
			if yes {
				out = append(out, d)
				break
			}
		}
	}
	return out
}

// calibrate fills the bins with the first time that a file stands in the top 5 of its session.
func calibrate(ds []decision, m Model, shown, unseen *bins) {
	told := map[string]map[aoa.Path]bool{}
	toldUnseen := map[string]map[aoa.Path]bool{}
	for _, d := range ds {
		top(d, m, told, func(example) bool { return true }, func(e example, p float64) { shown.add(p, e.used) })
		top(d, m, toldUnseen, isUnseen, func(e example, p float64) { unseen.add(p, e.used) })
	}
}

func isUnseen(e example) bool { return e.unseen }
func isSeen(e example) bool   { return !e.unseen }

// of is the probability that the model gives an example.
func (m Model) of(e example) float64 {
	scale := m.Scale
	if e.unseen {
		scale = m.Unseen
	}
	return scale.Probability(m.Weights.Logit(e.x))
}

// top hands out the 5 best of a decision that the session was not told before.
func top(d decision, m Model, told map[string]map[aoa.Path]bool, ok func(example) bool, each func(example, float64)) {
	if told[d.session] == nil {
		told[d.session] = map[aoa.Path]bool{}
	}
	n := 0
	for _, e := range d.rankBy(m.of) {
		if !ok(e) {
			continue
		}
		if n++; n > 5 {
			return
		}
		if p := m.of(e); p > .05 && !told[d.session][e.path] {
			told[d.session][e.path] = true
			each(e, p)
		}
	}
}

// fitModel fits weights on all candidates, then the calibration on what would be shown first.
func fitModel(ds []decision, moment aoa.Moment) Model {
	var es []example
	for _, d := range ds {
		es = append(es, d.examples...)
	}
	m := Model{Weights: fit(es, 2, func(s Signal) bool { return trained[moment][s] }), Scale: Scale{1, 0}, Unseen: Scale{1, 0}}
	scale := func(ok func(example) bool) Scale {
		var zs []float64
		var used []bool
		told := map[string]map[aoa.Path]bool{}
		for _, d := range ds {
			top(d, m, told, ok, func(e example, _ float64) {
				zs, used = append(zs, m.Weights.Logit(e.x)), append(used, e.used)
			})
		}
		return platt(zs, used)
	}
	if moment == aoa.MomentChange {
		m.Scale = scale(isUnseen) // no session: everything is unseen
		m.Unseen = m.Scale
		return m
	}
	m.Scale, m.Unseen = scale(isSeen), scale(isUnseen)
	return m
}

// trained are the signals that a moment's weights are fitted for.
var trained = func() map[aoa.Moment][signals]bool {
	pick := func(ss ...Signal) (out [signals]bool) {
		for _, s := range ss {
			out[s] = true
		}
		return out
	}
	open := pick(Bias, RecencyHour, RecencyDay, Comod, Session, Successor, Terms, Words, Named, InCommand,
		Mentioned, SeenBefore, Directory, Pair, Opened)
	prompt := open
	prompt[Frequency], prompt[NamedBefore], prompt[Committed], prompt[Directory] = true, true, true, false
	return map[aoa.Moment][signals]bool{aoa.MomentPrompt: prompt, aoa.MomentOpen: open,
		aoa.MomentChange: pick(Bias, Comod, ComodMean, Support, InHand, Directory, Pair, Committed)}
}()

func printModel(t *testing.T, moment aoa.Moment, m Model) {
	line := ""
	for s, w := range m.Weights {
		if w != 0 {
			line += fmt.Sprintf("%s %.2f, ", Signal(s), w)
		}
	}
	t.Logf("%s fitted on all: %sscale {%.2f, %.2f} unseen {%.2f, %.2f}", moment, line, m.Scale[0], m.Scale[1], m.Unseen[0], m.Unseen[1])
}
