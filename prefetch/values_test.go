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
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestThresholds: where each kind starts, how a threshold moves, and the bounds of all.
func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		base, drift, offset float64
		ignored             int
		want                float64
	}{
		{.6, 0, 0, 0, .6}, {.6, .1, .05, 2, .75}, {.6, 0, 0, 3, .7}, {.6, -.5, 0, 0, .4}, {.6, -.5, 0, 3, .5}, {.6,
			.5, 0, 0, .9},
		{.6, .5, 0, 9, .9}, {math.NaN(), 0, 0, 0, .6},
	} {
		near(t, fmt.Sprintf("%+v", c), theta(c.base, c.drift, c.offset, c.ignored), c.want)
	}
	near(t, "a used file", step(true, .75), -.0025)
	near(t, "an unused file", step(false, .75), .0075)
	near(t, "drift up to the bound", drift(.29, .05, .6), .3)
	near(t, "drift down to the bound", drift(-.19, -.05, .6), -.2)
	for theta, want := range map[float64]float64{.3: .5, .6: .7, .85: .9} {
		near(t, fmt.Sprint("sure at ", theta), Sure(theta), want)
	}
	near(t, "conservative, balanced, aggressive", Conservative*100+Balanced*10+Aggressive, 86.4)
	kinds := ""
	for _, k := range Kinds() {
		tr := traits[k]
		kinds += fmt.Sprintf("%s %q files %d from %.2f aims at %.2f on %q: hint %v fact %v text %v list %v\n", k,
			tr.task, tr.files,
			tr.start(.7), tr.target(), tr.label, tr.hint, tr.fact, tr.text, tr.list)
	}
	fault.Golden(t, "testdata/kinds.golden", kinds)
	var o Options
	fault.Same(t, "options", fmt.Sprint(o.threshold(), o.list(), o.holdout(), o.tokens()),
		"0.6 0.65 0.1 2000")
	d := newFixture(t, Options{List: func() float64 { return 2 }, Threshold: func() float64 { return .1 }})
	value, of := d.p.Threshold("", d.now)
	fault.Same(t, "clamped", fmt.Sprint(value, of), "0.4 map[next:0.4 partner:0.5 prompt:0.9 search:0.9]")
}

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

// TestListed: which files a list names, which lines are said, and which turns are an errand.
func TestListed(t *testing.T) {
	list := func(ps ...float64) (out []Candidate) {
		for i, p := range ps {
			out = append(out, Candidate{File: event.Path(fmt.Sprintf("%c.go", 'a'+i)), P: p})
		}
		return out
	}
	for _, c := range []struct {
		ps   []float64
		want int
	}{{[]float64{.9, .8, .7, .6, .5, .4}, 5}, {[]float64{.05}, 1}, {[]float64{.0499}, 0}, {[]float64{.5, .1}, 2},
		{[]float64{.5, .0999}, 1}} {
		fault.Same(t, fmt.Sprint("listed of ", c.ps), len(Listed(list(c.ps...), nil)), c.want)
	}
	fault.Same(t, "without the one that is refused", len(Listed(list(.5, .4),
		func(f event.Path) bool { return f == "a.go" })), 1)
	for _, c := range []struct {
		prompts int
		second  float64
		says    int
	}{{0, .1601, 2}, {0, .1599, 1}, {1, .1601, 2}, {2, .1, 2}, {2, .0999, 1}} {
		m := ListModel{Right: ListWeights{Bias: 9}} // a turn opens files with a probability of one half
		got, e := m.Choose(event.Query{Prompt: "fix what the parser does"}, Turn{Prompts: c.prompts}, list(.4,
			c.second), nil)
		fault.Same(t, fmt.Sprintf("said of %+v", c), fmt.Sprint(len(got), " ", e.Opens, " ", e.Right),
			fmt.Sprint(c.says, " 0.5 0"))
	}
	known := list(.4)
	known[0].Text = .1
	if _, e := (ListModel{Right: ListWeights{Bias: 9}}).Choose(event.Query{Prompt: "fix what the parser does"},
		Turn{}, known, nil); e.Right < .9 {
		t.Errorf("a list that the text tells of is right with %v", e.Right)
	}
	for prompt, want := range map[string]bool{"": false, "fix": true, "fix it": true, "fix it now": false,
		"直して": false, "yes please go on": true,
		"then commit what we have changed here and go home":        true,
		"then commit what we have changed here, go home and sleep": false,
		"please PUSH all of this":                                  true, "the committee meets about it": false} {
		fault.Same(t, prompt, errand(prompt), want)
	}
	for _, c := range []struct {
		opens, right float64
		want         bool
	}{{.5, .65, true}, {.5, .6499, false}, {.25, .89, true}, {.25, .88, false}} { // 3.5·120/1900 = .221
		fault.Same(t, fmt.Sprintf("%+v", c), ListEstimate{Opens: c.opens, Right: c.right}.Says(.65), c.want)
	}
	fault.Same(t, "short prompts", [2]float64{ListFeaturesOf(event.Query{Prompt: "a b c"}, Turn{}, nil).Short,
		ListFeaturesOf(event.Query{Prompt: "a b c d"}, Turn{}, nil).Short}, [2]float64{1, 0})
}

// TestPending: how long a decision waits for its log, and of how many sessions one does.
func TestPending(t *testing.T) {
	s := NewState()
	for i := range 20 {
		s.hold("s", pending{id: fmt.Sprint(i), at: epoch})
	}
	for after, want := range map[time.Duration]int{5 * time.Second: 16, 5*time.Second + 1: 0} {
		fault.Same(t, fmt.Sprint("on their way after ", after), len(s.waiting("s", epoch.Add(after))), want)
	}
	for i := range 1023 {
		s.hold(fmt.Sprint("other", i), pending{})
	}
	fault.Same(t, "sessions", len(s.pending), 1024)
	s.hold("other1", pending{})
	fault.Same(t, "a known one", len(s.pending), 1024)
	s.hold("one more", pending{})
	fault.Same(t, "one more", len(s.pending), 1)
}

// TestNamesIn: what a pattern may name, and how many files of a name it may mean.
func TestNamesIn(t *testing.T) {
	for pattern, want := range map[string]string{"**/hand_lers.go": "[handlers.go]", "abc": "[]",
		"parse": "[parse]", "parse config": "[]",
		"(a/first|b/second)": "[first second]", `x/^load\.go$`: "[load.go]", "src/*.ts": "[]"} {
		fault.Same(t, pattern, fmt.Sprint(namesIn(pattern)), want)
	}
	var files []event.Path
	for i := range 4 {
		files = append(files, event.Path(fmt.Sprintf("d%d/handler.go", i)))
	}
	for n, want := range map[int]int{3: 3, 4: 0} {
		s := Searcher{Tree: index.NewTree(files[:n])}
		fault.Same(t, fmt.Sprint("files of a name, of ", n), len(s.Found("**/handlers.go", nil)), want)
	}
}

// TestFileFeatures: what tells apart files that stand equally high in their rankings.
func TestFileFeatures(t *testing.T) {
	d := newFixture(t, Options{})
	for f, p := range map[event.Path]float64{"a.go": .99, "b.go": .5, "c.go": .4, "d.go": .01} {
		d.likely(p, f)
	}
	q := d.query()
	ranking := fault.Must(d.p.ranker.Score(t.Context(), q))
	defer ranking.Done()
	for _, c := range []struct {
		of   string
		got  []FileFeatures
		want string
	}{
		{"all", FileFeaturesOf(q, ranking.Files), "first 1 ahead 3.00 behind 0.00; first 0 ahead 0.00 behind -3.00; " +
			"first 0 ahead 0.00 behind -3.00; first 0 ahead 0.00 behind -3.00; "},
		{"the middle", FileFeaturesOf(q, ranking.Files[1:3]), "first 1 ahead 0.41 behind 0.00; first 0 ahead 0.00 behind -0.41; "},
		{"one", FileFeaturesOf(q, ranking.Files[:1]), "first 1 ahead 3.00 behind 0.00; "},
	} {
		got := ""
		for _, f := range c.got {
			got += fmt.Sprintf("first %v ahead %.2f behind %.2f; ", f.First, f.Ahead, f.Behind)
		}
		fault.Same(t, c.of, got, c.want)
	}
	near(t, "mass", FileFeaturesOf(q, ranking.Files)[0].Mass, math.Log1p(.99+.5+.4+.01))
}

// TestShippedClasses: a confidence with a class that is not known or a slope out of bounds is
// refused.
func TestShippedClasses(t *testing.T) {
	for text, want := range map[string]bool{
		`{"confidence": {"classes": {"open_seen": [0, 1]}}}`: true, `{"confidence": {"classes": {"open_seen": [99.9, 1]}}}`: true,
		`{"confidence": {"classes": {"open_seen": [100, 1]}}}`: false, `{"confidence": {"classes": {"open_seen": [-0.1, 1]}}}`: false,
		`{"confidence": {"classes": {"unheard_of": [1, 1]}}}`: false, `{`: false,
	} {
		_, err := parseConfidence([]byte(text))
		fault.Same(t, text, err == nil, want)
	}
}

// TestSetting: a threshold of the log is clamped, and another one takes the drift away that was
// learned under the last.
func TestSetting(t *testing.T) {
	s := NewState()
	set := func(name, value string) { s.setting(event.Setting{Name: name, Value: value}) }
	for _, c := range []struct {
		name, value string
		base        float64
		drifts      int
	}{{"threshold", "0.7", .7, 0}, {"threshold", "0.7", .7, 1}, {"threshold", "0.1", .4, 0}, {"threshold", "high", .4, 1}, {"list", "0.8", .4, 1}} {
		s.Drift = map[HintKind]float64{Next: .1}
		set(c.name, c.value)
		fault.Same(t, c.name+" "+c.value, fmt.Sprint(s.Base, len(s.Drift)), fmt.Sprint(c.base, c.drifts))
	}
	e, changes := s.SetThreshold(.1, epoch)
	fault.Same(t, "what the log says", changes, false)
	e, changes = s.SetThreshold(.8, epoch)
	fault.Same(t, "another one", fmt.Sprint(e.Body, changes), "{threshold 0.8} true")
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
	fault.Same(t, "nothing is known", len(d.p.Companions(q, history.Past{}, everything).Answer(t.Context()).Suggestions), 0)
}

// TestCountsBesideCommits: counts of commits stand beside a fact of commits, whatever else is stronger.
func TestCountsBesideCommits(t *testing.T) {
	d := newFixture(t, Options{})
	d.p.o.Weights = history.ShippedAlone()
	c := &history.Commits{}
	for i := range 80 {
		switch {
		case i < 10:
			c.Add("", []event.Path{"lib/parse.go"}, nil)
		case i < 13:
			c.Add("", []event.Path{"lib/parse.go", "lib/token.go"}, nil)
		default:
			c.Add("", []event.Path{"far/away.go"}, nil)
		}
	}
	links := history.Links{"lib/token.go": {Uses: 50, Used: 50, Stem: 1}}
	past := history.Past{Commits: c, Links: func(event.Path) history.Links { return links }}
	q := event.Query{Task: event.TaskChange, Files: []event.Path{"lib/parse.go"}, At: epoch, Explain: true}
	first := d.p.Companions(q, past, func(event.Path) bool { return true }).Answer(t.Context()).Suggestions[0]
	fault.Same(t, "the first reason", first.Reasons[0].Text, "changed together in 3 of 13 commits")
	if !slices.Contains(counted, first.Reasons[0].Signal) {
		t.Errorf("it stands beside %s", first.Reasons[0].Signal)
	}
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
