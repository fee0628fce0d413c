package prefetch

import (
	"math"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestListIsDecidedAsAWhole: no file needs to be likely by itself.
func TestListIsDecidedAsAWhole(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.35, "a.go")
	d.likely(.30, "b.go", "c.go")
	d.likely(.02, "never.go")
	dec := d.ask(Prompt)
	if got := paths(dec.Shown); !slices.Equal(got, []event.Path{"a.go", "b.go", "c.go"}) {
		t.Fatalf("shown %v (%s): one of three is opened with a probability of %.2f", got, dec.Why, 1-.65*.7*.7)
	}
	if len(dec.Log) != 1 || hintOf(dec.Log[0]).Status != string(Shown) {
		t.Errorf("logged %+v", dec.Log)
	}
	if again := d.ask(Prompt); len(again.Shown) != 0 || again.Why != "nothing" {
		t.Errorf("shown twice: %+v", again)
	}
}

// TestListAfterASearch: what a search means is said as a fact where it is found; else a list is
// decided on. Neither repeats what the other has said.
func TestListAfterASearch(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.35, "a.go", "b.go", "c.go")
	d.likely(.02, "meant.go")
	found := facts("meant.go")
	for _, c := range []struct {
		found []event.Suggestion
		want  []event.Path
	}{{found, []event.Path{"meant.go"}}, {nil, []event.Path{"a.go", "b.go", "c.go"}}, {found, nil}, {nil, nil}} {
		dec := d.say(Question{Kind: Search, Query: d.query()}, c.found, all)
		if !slices.Equal(paths(dec.Shown), c.want) {
			t.Errorf("%d found: shown %v (%s); want %v", len(c.found), paths(dec.Shown), dec.Why, c.want)
		}
		d.happen(dec.Log...)
	}
	d = newFixture(t, Options{})
	d.likely(.30, "a.go")
	if dec := d.ask(Search); len(dec.Shown) != 0 || dec.Why != "below" {
		t.Errorf("shown %v (%s)", paths(dec.Shown), dec.Why)
	}
}

func TestListThatProbablyMisses(t *testing.T) {
	d := newFixture(t, Options{})
	d.likely(.30, "a.go")
	if dec := d.ask(Prompt); len(dec.Shown) != 0 || dec.Why != "below" || len(dec.Log) != 1 ||
		hintOf(dec.Log[0]).Status != string(Shadow) {
		t.Errorf("%+v, want one logged in the shadow", dec)
	}
	d = newFixture(t, Options{List: func() float64 { return .40 }})
	d.likely(.45, "a.go")
	if dec := d.ask(Prompt); len(dec.Shown) != 1 {
		t.Errorf("%s at a lower threshold.prompt", dec.Why)
	}
}

// TestListForATurnThatOpensNothing: "yes, commit" needs no files.
func TestListForATurnThatOpensNothing(t *testing.T) {
	idle := &Confidence{List: ListModel{Opens: ListWeights{Bias: 3, ListFeatures: ListFeatures{Short: -6}},
		Right: ListWeights{Bias: 3}}}
	d := newFixture(t, Options{Confident: idle})
	d.likely(.9, "a.go")
	ask := func(prompt string) said {
		q := d.query()
		q.Prompt = prompt
		return d.say(Question{Kind: Prompt, Query: q}, nil, all)
	}
	if dec := ask("is all of it ready? Then commit."); len(dec.Shown) != 0 || dec.Why != "idle" {
		t.Errorf("shown %v (%s) to a prompt that asks for a commit", paths(dec.Shown), dec.Why)
	}
	if dec := ask("yes, commit"); len(dec.Shown) != 0 || dec.Why != "idle" {
		t.Errorf("%s %v", dec.Why, paths(dec.Shown))
	}
	if dec := ask("ok looks good, please commit and push it"); len(dec.Shown) != 0 || dec.Why != "idle" {
		t.Errorf("%s %v", dec.Why, paths(dec.Shown))
	}
	if dec := ask("why does the login fail after the upgrade"); len(dec.Shown) != 0 || dec.Why != "nothing" {
		t.Errorf("%s %v: nothing is known of these words", dec.Why, paths(dec.Shown))
	}
	d.knows("login", "a.go")
	dec := ask("why does the login fail after the upgrade")
	if len(dec.Shown) != 1 {
		t.Fatalf("silent: %s", dec.Why)
	}
	// .9, given that the turn opens files at all: with 1/(1+e^-3).
	if p := dec.Shown[0].Score; math.Abs(p-.9/.9526) > 1e-3 || math.Abs(hintOf(dec.Log[0]).Scores[0]-.9) > 1e-9 {
		t.Errorf("shown with %.4f, logged with %.4f", p, hintOf(dec.Log[0]).Scores[0])
	}
}

// TestListIsWithheldAsAWhole: a file that was kept back is shown under no other kind.
func TestListIsWithheldAsAWhole(t *testing.T) {
	d := newFixture(t, Options{Holdout: func() float64 { return 1 }})
	d.likely(.9, "a.go", "b.go")
	dec := d.ask(Prompt)
	if len(dec.Shown) != 0 || dec.Why != "withheld" || len(dec.Log) != 1 || len(dec.Log[0].Paths()) != 2 {
		t.Fatalf("%+v", dec)
	}
	if dec := d.ask(Partner); len(dec.Shown) != 0 {
		t.Errorf("shown after all: %v", paths(dec.Shown))
	}
}

// TestListCountsOnce: a list is right with its first file, wrong with the end of its turn, and
// neither where the turn opened nothing.
func TestListCountsOnce(t *testing.T) {
	record := func(d *fixture) Tally {
		rs := d.p.Records()
		if len(rs) != 1 {
			t.Fatalf("%+v", rs)
		}
		return rs[0].Shown
	}
	list := func() *fixture {
		d := newFixture(t, Options{})
		d.likely(.9, "a.go", "b.go", "c.go")
		if dec := d.ask(Prompt); len(dec.Shown) != 3 {
			t.Fatalf("%+v", dec)
		}
		return d
	}
	d := list()
	d.happen(d.event(event.KindRead, "b.go"))
	d.happen(d.event(event.KindRead, "a.go"))
	d.happen(d.event(event.KindPrompt))
	fault.Same(t, "two files of three were opened", record(d), (Tally{1, 1, 1}))
	if now := d.theta(Prompt); now >= ListThreshold {
		t.Errorf("threshold %.3f after a list that was right", now)
	}
	d = list()
	d.opens(2)
	d.happen(d.event(event.KindPrompt))
	fault.Same(t, "other files were opened", record(d), (Tally{1, 1, 0}))
	if now := d.theta(Prompt); now <= ListThreshold {
		t.Errorf("threshold %.3f after a list that was wrong", now)
	}
	d = list()
	d.happen(d.event(event.KindPrompt))
	fault.Same(t, "nothing was opened", record(d), (Tally{1, 0, 0}))
	if now := d.theta(Prompt); math.Abs(now-ListThreshold) > 1e-9 {
		t.Errorf("threshold %.3f after a turn that opened nothing", now)
	}
}

// TestFeatures holds the formulas of the list's features.
func TestFeatures(t *testing.T) {
	f := ListFeaturesOf(event.Query{Prompt: "fix the login"}, Turn{3, true},
		[]Candidate{{Shipped: .8, Text: .2, Terms: .3}, {Shipped: .5, Text: .7}})
	want := ListFeatures{Turn: math.Log(4), Words: math.Log(4), Short: 1, First: math.Log(4), Any: math.Log(9), Text: .7, Terms: .3,
		Named: 1}
	for i, v := range f.Values() {
		if w := want.Values()[i]; math.Abs(v-w) > 1e-9 {
			t.Errorf("feature %d is %v, want %v", i, v, w)
		}
	}
	if f := ListFeaturesOf(event.Query{Prompt: "one two three four"}, Turn{}, nil); f.Short != 0 || f.Any > -5 {
		t.Errorf("%+v", f)
	}
}

// TestNothingKnownOfTheText: a list of files that are in use is no answer to a text that tells
// nothing.
func TestNothingKnownOfTheText(t *testing.T) {
	q := event.Query{Prompt: "please have another look at all of this and make it better"}
	files := make([]Candidate, MaxFiles)
	for i := range files {
		files[i] = Candidate{File: event.Path(rune('a' + i)), Shipped: .12, P: .12}
	}
	says := func() bool {
		_, e := Shipped().List.Choose(q, Turn{}, files, nil)
		return e.Says(ListThreshold)
	}
	if says() {
		t.Error("shown for a text that tells nothing of the files")
	}
	for i := range files {
		files[i].Text, files[i].Terms = 1, .8
	}
	if !says() {
		t.Error("silent about a text that tells of the files")
	}
}

// TestFirstPromptsAreEasier: the same list is said at a first prompt that describes a task, and not
// at a later one, nor at a question or after a search.
func TestFirstPromptsAreEasier(t *testing.T) {
	for name, c := range map[string]struct {
		kind   HintKind
		prompt string
		before int // prompts
		p      float64
		want   Why
	}{
		"a first prompt":             {Prompt, "mend the lexer of it all", 0, .62, WhyShown},
		"a later prompt":             {Prompt, "mend the lexer of it all", 1, .62, WhyBelow},
		"a question":                 {Prompt, "how does the lexer work?", 0, .62, WhyBelow},
		"three words later":          {Prompt, "mend the lexer", 1, .9, WhyIdle},
		"three words first":          {Prompt, "mend the lexer", 0, .9, WhyShown},
		"an agreement":               {Prompt, "yes, commit the lexer", 0, .9, WhyIdle},
		"a search in the first turn": {Search, "", 0, .62, WhyBelow},
		"too unlikely":               {Prompt, "mend the lexer of it all", 0, .58, WhyBelow},
	} {
		d := newFixture(t, Options{})
		d.likely(c.p, "lexer.go")
		d.knows("lexer", "lexer.go")
		for range c.before + 1 {
			d.happen(d.event(event.KindPrompt))
		}
		q := d.question(c.kind)
		q.Query.Prompt = c.prompt
		if dec := d.say(q, nil, all); dec.Why != c.want {
			t.Errorf("%s: %s, want %s", name, dec.Why, c.want)
		}
	}
}
