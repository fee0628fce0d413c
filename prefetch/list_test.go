package prefetch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestAnInterceptCannotStarve: one that lowers everything below the floor goes on getting outcomes,
// and is corrected by them.
func TestAnInterceptCannotStarve(t *testing.T) {
	d := newFixture(t, Options{})
	d.p.Intercepts[Next] = Intercept{Value: -mostIntercept, Outcomes: lastingOutcomes}
	d.likely(.55, "x.go")
	for i := range 100 {
		q := d.query()
		q.Session = fmt.Sprint("session", i)
		dec := d.say(Question{Kind: Next, Query: q}, nil, all)
		if i == 0 && len(dec.Shown) != 0 || len(dec.Log) == 0 {
			t.Fatalf("question %d: %s, %d events", i, dec.Why, len(dec.Log))
		}
		d.happen(dec.Log...)
		open := d.event(event.KindRead, "x.go")
		open.Session = q.Session
		d.happen(open)
	}
	if v := d.p.Learned()[Next].Value; v < -.6 { // a step is at least 4/440 of what was wrong
		t.Errorf("the intercept is still %v", v)
	}
}

// TestOneAnswer: who asks and who is hinted get the same probability, of the same model, with the
// intercept of its kind.
func TestOneAnswer(t *testing.T) {
	d := newFixture(t, Options{Confident: &Confidence{Ahead: .2}})
	d.likely(.7, "often.go", "cur_test.go")
	d.likely(.3, "never.go")
	d.p.Intercepts[Partner], d.p.Intercepts[Next] = Intercept{Value: .3}, Intercept{Value: .4}
	for _, kind := range []HintKind{Partner, Next} {
		q := d.query()
		q.Session = ""
		q.Task = traits[kind].task
		ans, err := d.p.Answer(t.Context(), q, d.past())
		if err != nil || len(ans.Suggestions) < 2 {
			t.Fatalf("%+v, %v", ans, err)
		}
		lacks := d.p.Companions(q, d.past(), d.tree.Has).Lacks(d.p.Sure())
		hint := d.say(Question{Kind: kind, Query: q}, nil, all)
		if len(hint.Shown) == 0 {
			t.Fatalf("%s: %+v", kind, hint)
		}
		for _, s := range hint.Shown {
			i := slices.IndexFunc(ans.Suggestions, func(a event.Suggestion) bool { return a.File == s.File })
			if i < 0 || ans.Suggestions[i].Score != s.Score {
				t.Errorf("%s: %s is hinted at %v, answered with %+v", kind, s.File, s.Score, ans.Suggestions)
			}
			why, place, err := d.p.Why(t.Context(), q, d.past(), s.File)
			if err != nil || why.Score != s.Score || place != i+1 {
				t.Errorf("%s: why says %v at place %d, %v", kind, why.Score, place, err)
			}
			if kind != Partner {
				continue
			}
			counts := event.Together{With: "cur.go", Both: 210, Of: 300, Recent: 35, OfRecent: 50}
			if !slices.ContainsFunc(lacks, func(l Lack) bool {
				return l.File == s.File && l.Score == s.Score && l.Together == counts
			}) || len(lacks) != 2 || *s.Together != counts {
				t.Errorf("the change lacks %+v, hinted at %s, %v", lacks, s.File, s.Score)
			}
		}
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
