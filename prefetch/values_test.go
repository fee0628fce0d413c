package prefetch

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPromises compares what the shipped confidence makes of rankings and lists with a golden file,
// so that no weight and no formula changes unseen.
func TestPromises(t *testing.T) {
	var b strings.Builder
	for _, class := range append(Classes(), "unknown") {
		fmt.Fprintf(&b, "%s of %q:", class, class.Kind())
		for _, x := range []FileFeatures{{Logit: 0}, {Logit: 1, First: 1, Ahead: 3}, {Logit: -1, Behind: -2},
			{Mass: 2}, {Opened: .5}} {
			x.Class = class
			fmt.Fprintf(&b, " %.4f", Shipped().Probability(x))
		}
		b.WriteByte('\n')
	}
	for _, kind := range []HintKind{Prompt, Search} {
		m := Shipped().list(kind)
		for i := range 9 {
			f := ListFeatures{}
			if p := []*float64{&f.Turn, &f.Words, &f.Short, &f.First, &f.Any, &f.Text, &f.Terms, &f.Named}; i > 0 {
				*p[i-1] = 1
			}
			e := m.Estimate(f)
			fmt.Fprintf(&b, "%s %v: opens %.4f, right %.4f, any %.4f\n", kind, f.Values(), e.Opens, e.Right, e.Any())
		}
	}
	i := Intercept{}
	for n, used := range []bool{true, true, false, true, false, false, false} {
		i = i.after(.3+.1*float64(n%3), used)
		fmt.Fprintf(&b, "intercept %.5f after %d\n", i.Value, i.Outcomes)
	}
	for _, c := range []Intercept{{1, 400}, {1.01, 1}, {-1, 0}, {0, 401}, {0, -1}, {math.NaN(), 1}} {
		fmt.Fprintf(&b, "%v is usable: %v\n", c, c.usable())
	}
	long := Intercept{Outcomes: 400}.after(.5, true)
	fmt.Fprintf(&b, "after the 401st outcome %.5f of %d\n", long.Value, long.Outcomes)
	for _, p := range []float64{-1, 0, .5, .9, 1, 2} {
		fmt.Fprintf(&b, "log odds of %v: %.3f\n", p, logOdds(p))
	}
	e := event.Event{Session: "s", Subagent: "sub", Time: epoch}
	fmt.Fprintf(&b, "%s\n", hintID(e, event.Hint{Name: "next", Status: "shown", Paths: []event.Path{"a"},
		Named: []event.Path{"b"}, Text: "t"}))
	for i := range 20 {
		fmt.Fprintf(&b, "%v ", heldOut("seed", "s", event.Path(fmt.Sprint(i)), .3))
	}
	fault.Golden(t, "testdata/promises.golden", b.String())
}

// TestEvidence: what is said of a companion by the strongest kind of evidence, and all that has
// weight.
func TestEvidence(t *testing.T) {
	d := newFixture(t, Options{})
	c := &history.Commits{}
	for range 9 {
		c.Add("", []event.Path{"lib/parse.go", "docs/parse.md"}, nil)
	}
	c.Add("", []event.Path{"lib/parse_test.go"}, nil)
	c.Add("", []event.Path{"lib/other.go"}, nil)
	c.Add("", []event.Path{"far/away.go"}, nil)
	q := event.Query{Task: event.TaskChange, Files: []event.Path{"lib/parse.go"}, At: epoch, Explain: true}
	everything := func(event.Path) bool { return true }
	texts := map[event.Path]string{}
	for _, s := range d.p.Companions(q, history.Past{Commits: c}, everything).Answer(t.Context()).Suggestions {
		texts[s.File] = s.Reasons[0].Text
		for _, r := range s.Reasons {
			if r.Value*r.Weight == 0 {
				t.Errorf("%s: %s has no weight", s.File, r.Signal)
			}
		}
	}
	for f, want := range map[event.Path]string{"docs/parse.md": "changed together in 9 of 9 commits", "lib/parse_test.go": "same stem as lib/parse.go",
		"lib/other.go": "in the same folder as lib/parse.go", "far/away.go": "changed lately"} {
		fault.Same(t, string(f), texts[f], want)
	}
	// Counts of commits stand beside a fact of commits, whatever else is stronger.
	d.p.o.Weights = history.ShippedAlone()
	for range 7 {
		c.Add("", []event.Path{"lib/parse.go"}, nil)
	}
	links := history.Links{"docs/parse.md": {Uses: 50, Used: 50, Stem: 1}}
	past := history.Past{Commits: c, Links: func(event.Path) history.Links { return links }}
	first := d.p.Companions(q, past, everything).Answer(t.Context()).Suggestions[0].Reasons[0]
	fault.Same(t, "beside a link", fmt.Sprint(first.Text, slices.Contains(counted, first.Signal)), "changed together in 9 of 16 commitstrue")
	fault.Same(t, "nothing is known", len(d.p.Companions(q, history.Past{}, everything).Answer(t.Context()).Suggestions), 0)
}

// TestWorth: a short list leaves out what only large commits or a folder connect with a file, and is
// filled up with what deserves it, its test before all. The ranking has everything.
func TestWorth(t *testing.T) {
	d := newFixture(t, Options{})
	c := &history.Commits{}
	large := []event.Path{"lib/parse.go", "far/busy.go"}
	for i := range 40 {
		large = append(large, event.Path(fmt.Sprintf("many/m%d.go", i)))
	}
	for range 2 {
		c.Add("", large, nil)
	}
	c.Add("", append([]event.Path{"lib/parse.go", "check/parse_test.go"}, large[2:22]...), nil)
	for range 3 {
		c.Add("", []event.Path{"lib/parse.go", "lib/token.go"}, nil)
	}
	c.Add("", []event.Path{"lib/parse.go", "lib/scan.go", "lib/state.go"}, nil)
	links := history.Links{"lib/near.go": {Sibling: .2}, "check/parse_test.go": {Stem: 1}}
	past := history.Past{Commits: c, Links: func(event.Path) history.Links { return links }}
	ask := func(limit int, worth bool) (out []event.Path) {
		q := event.Query{Task: event.TaskChange, Files: []event.Path{"lib/parse.go"}, At: epoch, Limit: limit, Worth: worth}
		for _, s := range d.p.Companions(q, past, func(event.Path) bool { return true }).Answer(t.Context()).Suggestions {
			out = append(out, s.File)
		}
		return out
	}
	fault.Same(t, "worth listing", ask(5, true),
		[]event.Path{"lib/token.go", "lib/scan.go", "lib/state.go", "check/parse_test.go"})
	fault.Same(t, "two", ask(2, true), []event.Path{"lib/token.go", "check/parse_test.go"})
	if all := ask(50, false); len(all) != 46 || slices.Index(all, "far/busy.go") > slices.Index(all, "lib/scan.go") {
		t.Errorf("the ranking has %d files: %v", len(all), all)
	}
	for range 60 {
		c.Add("", []event.Path{"lib/parse.go", "lib/token.go"}, nil)
	}
	fault.Same(t, "an unlikely test", ask(5, true), []event.Path{"lib/token.go", "check/parse_test.go"})
	links["parse/other.go"] = &index.Link{Imports: .1}
	fault.Same(t, "of the folder", ask(5, true), []event.Path{"lib/token.go"})
	delete(links, "parse/other.go")
	links["far/parse.go"] = &index.Link{Stem: 1}
	fault.Same(t, "of which of two", ask(5, true), []event.Path{"lib/token.go"})
	links["far/parse_test.go"] = &index.Link{Stem: 1}
	fault.Same(t, "two of them", ask(5, true), []event.Path{"lib/token.go"})
	links["lib/parse_test.go"] = &index.Link{Stem: 1}
	fault.Same(t, "the one in the folder", ask(5, true), []event.Path{"lib/token.go", "lib/parse_test.go"})
	past.Diffs = map[event.Path]index.Sketch{"lib/parse.go": {}}
	fault.Same(t, "of a change that is known", len(ask(5, true)), 5)
}

// TestShared: two commits that changed both files are the fewest for which one is missing beside
// the other.
func TestShared(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "a.go")
	for both, want := range map[int]int{1: 0, 2: 1} {
		c := &history.Commits{}
		for range both {
			c.Add("", []event.Path{"cur.go", "a.go"}, nil)
		}
		fault.Same(t, fmt.Sprint("lacks after ", both), len(d.p.Companions(d.query(), history.Past{Commits: c}, d.tree.Has).Lacks(.2)), want)
	}
}

// TestAnswers: what people get is what hints promise, and sums of tallies are sums.
func TestAnswers(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.9, "a.go")
	d.likely(.7, "b.go")
	a := fault.Must(d.p.Answer(t.Context(), d.query(), history.Past{}))
	near(t, "confidence", a.Confidence, a.Suggestions[0].Score)
	near(t, "of the likeliest", a.Confidence, .9)
	q := d.query()
	q.Task = event.TaskChange
	c := d.p.Companions(q, d.past(), d.tree.Has)
	a = c.Answer(t.Context())
	lacks := c.Lacks(.6)
	fault.Same(t, "lacks", fmt.Sprint(lacks[0].File, " ", lacks[0].Both, " ", len(lacks)), "a.go 270 2")
	if s := a.Suggestions[0]; s.File != "a.go" || !s.Unseen || len(s.Reasons) != 1 || s.Reasons[0].Text == "" ||
		s.Reasons[0].Value*s.Reasons[0].Weight <= 0 {
		t.Errorf("beside a change: %+v", s)
	}
	fault.Same(t, "sum", Tally{1, 2, 3}.Plus(Tally{10, 20, 30}), Tally{11, 22, 33})
	fault.Same(t, "the first line is always said", len(lines([]Candidate{{File: "a.go", P: .1}}, .5, "")), 1)
}

// TestValues compares what thresholds, lists, settings and names come to with a golden file, so that
// no bound and no formula changes unseen. A difference is a fault or a decision.
func TestValues(t *testing.T) {
	var b strings.Builder
	for _, part := range []func(*testing.T, sayer){sayThresholds, saySettings, sayLists, sayFiles} {
		part(t, func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) })
	}
	fault.Golden(t, "testdata/values.golden", b.String())
}

// sayer writes a line.
type sayer func(format string, args ...any)

func sayThresholds(t *testing.T, say sayer) {
	say("# where thresholds start, how they move, and the bounds of all")
	for _, c := range []struct {
		base, drift, offset float64
		ignored             int
	}{{.6, 0, 0, 0}, {.6, .1, .05, 2}, {.6, 0, 0, 3}, {.6, -.5, 0, 0}, {.6, -.5, 0, 3}, {.6, .5, 0, 0}, {.6, .5, 0, 9},
		{math.NaN(), 0, 0, 0}} {
		say("%+v: %.4f", c, theta(c.base, c.drift, c.offset, c.ignored))
	}
	say("a used file %.4f, an unused one %.4f", step(true, .75), step(false, .75))
	say("drift up to the bound %.4f, down %.4f", drift(.29, .05, .6), drift(-.19, -.05, .6))
	say("sure at .3, .6, .85: %.2f %.2f %.2f", Sure(.3), Sure(.6), Sure(.85))
	say("balanced %.2f", Balanced)
	for _, k := range Kinds() {
		tr := traits[k]
		say("%s %q files %d from %.2f aims at %.2f on %q: hint %v fact %v text %v list %v", k, tr.task, tr.files, tr.start(.7),
			tr.target(), tr.label, tr.hint, tr.fact, tr.text, tr.list)
	}
	say("options %v %v %v %v", Defaults.Threshold, Defaults.List, Defaults.Holdout, Defaults.Tokens)
	d := newFixture(t, Options{Settings: func() Settings { return Settings{Threshold: .1, List: 2} }})
	value, of := d.p.Threshold("", d.now)
	say("clamped %v %v", value, of)
}

func saySettings(_ *testing.T, say sayer) {
	say("# a threshold of the log is clamped, and another one takes the drift away that was learned under the last")
	s := NewState()
	for _, c := range [][2]string{{"threshold", "0.7"}, {"threshold", "0.7"}, {"threshold", "0.1"}, {"threshold", "high"}, {"list", "0.8"}} {
		s.setting(event.Setting{Name: c[0], Value: c[1]})
		say("%v: %v, %d drifts", c, s.Base, len(s.Drift))
		s.Drift = map[HintKind]float64{Next: .1}
	}
	for _, value := range []float64{.1, .8} {
		e, changes := s.SetThreshold(value, epoch)
		say("set to %v: %v %v", value, e.Body, changes)
	}

	say("# how long a decision waits for its log, and of how many sessions one does")
	s = NewState()
	for i := range 20 {
		s.hold("s", pending{id: fmt.Sprint(i), at: epoch})
	}
	say("%d after 5 s, %d a nanosecond later", len(s.waiting("s", epoch.Add(5*time.Second))), len(s.waiting("s", epoch.Add(5*time.Second+1))))
	for i := range 1023 {
		s.hold(fmt.Sprint("other", i), pending{})
	}
	s.hold("other1", pending{})
	say("%d sessions", len(s.pending))
	s.hold("one more", pending{})
	say("%d with one more", len(s.pending))
}

func sayLists(_ *testing.T, say sayer) {
	say("# which files a list names, and which are said after so many prompts")
	list := func(ps ...float64) (out []Candidate) {
		for i, p := range ps {
			out = append(out, Candidate{File: event.Path(fmt.Sprintf("%c.go", 'a'+i)), P: p})
		}
		return out
	}
	for _, ps := range [][]float64{{.9, .8, .7, .6, .5, .4}, {.05}, {.0499}, {.5, .1}, {.5, .0999}} {
		say("of %v %d", ps, len(Listed(list(ps...), nil)))
	}
	say("without the one that is refused %d", len(Listed(list(.5, .4), func(f event.Path) bool { return f == "a.go" })))
	half := ListModel{Right: ListWeights{Bias: 9}} // a turn opens files with a probability of one half
	q := event.Query{Prompt: "fix what the parser does"}
	for prompts, seconds := range [][]float64{{.1601, .1599}, {.1601}, {.1, .0999}} {
		for _, second := range seconds {
			got, e := half.Choose(q, Turn{Prompts: prompts}, list(.4, second), nil)
			say("after %d prompts and beside %v: %d, opens %.3f, right %.3f", prompts, second, len(got), e.Opens, e.Right)
		}
	}
	known := list(.4)
	known[0].Text = .1
	_, e := half.Choose(q, Turn{}, known, nil)
	say("a list that the text tells of is right with %.3f", e.Right)
	for _, x := range []ListEstimate{{Opens: .5, Right: .65}, {Opens: .5, Right: .6499}, {Opens: .25, Right: .89}, {Opens: .25, Right: .88}} {
		say("says %+v: %v", x, x.Says(.65)) // 3.5·120/1900 = .221
	}
	for _, prompt := range []string{"a b c", "a b c d"} {
		say("%s is short: %v", prompt, ListFeaturesOf(event.Query{Prompt: prompt}, Turn{}, nil).Short)
	}
	for _, prompt := range []string{"", "fix", "fix it", "fix it now", "直して", "yes please go on",
		"then commit what we have changed here and go home", "then commit what we have changed here, go home and sleep",
		"please PUSH all of this", "the committee meets about it"} {
		say("%q is an errand: %v", prompt, errand(prompt))
	}
}

func sayFiles(t *testing.T, say sayer) {
	say("# what tells apart files that stand equally high in their rankings")
	d := newFixture(t, Options{})
	for f, p := range map[event.Path]float64{"a.go": .99, "b.go": .5, "c.go": .4, "d.go": .01} {
		d.likely(p, f)
	}
	ranking := fault.Must(d.p.ranker.Score(t.Context(), d.query()))
	for _, files := range [][]rank.Scored{ranking.Files, ranking.Files[1:3], ranking.Files[:1]} {
		for _, f := range FileFeaturesOf(d.query(), files) {
			say("of %d: first %v ahead %.2f behind %.2f mass %.4f", len(files), f.First, f.Ahead, f.Behind, f.Mass)
		}
	}

	say("# what belongs to everything, by its name …")
	for _, change := range [][]event.Path{{"api/wire.go"}, {"go.mod", "api/wire.go"}, {"go.sum"}, {"go.sum", "go.mod"}, {"CHANGELOG.md"}} {
		for _, f := range []event.Path{"CHANGELOG.md", "web/package.json"} {
			say("%v changed, %s: %v", change, f, (&companions{change: change}).usual(&Candidate{File: f, with: change[0]}))
		}
	}
	say("# … or because it changes as often without the file")
	for _, n := range [][2]int{{0, 400}, {180, 400}, {179, 400}, {usualLeast - 1, usualLeast - 1}, {usualLeast, usualLeast}} {
		say("9 of 10 with it, %v without it: %v", n, changesAnyway(event.Together{Both: 9, Of: 10}, n[0], n[1]))
	}
	for class, s := range Shipped().Classes {
		if !slices.Contains(Classes(), class) || !(s[0] >= 0 && s[0] < 100) {
			t.Errorf("the class %q has the slope %v", class, s[0])
		}
	}
}
