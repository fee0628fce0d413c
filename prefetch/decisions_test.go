package prefetch

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestDecisions plays the stories of testdata/decisions.txt. A line without a tab is what happens,
// the lines with a tab below it say what comes of it (-update writes them). A line with # begins a
// story: nothing is left of the one before.
//
//	set NAME VALUE        holdout, threshold, list or tokens, as a person sets them
//	likely P FILE…        files that changed together with cur.go in that share of its commits
//	word WORD FILE…       a word of prompts that leads to files
//	in SESSION [SUBAGENT] whose calls follow; no one has none
//	room N                the words have room for so many files from now on
//	wait DURATION         time passes
//	ask KIND [PROMPT]     a question whose candidates are ranked
//	tell KIND [FILE…]     a question whose files were found by looking
//	decide KIND FILE…     the same, and its words take time: they follow with "say" or "drop"
//	unlogged KIND         the same as ask, and the log gets nothing of it yet
//	EVENT [FILE…]         read, edit, commit, prompt, compact, good, bad
//	thresholds            those of all kinds that have one
//	records               how often each kind was right, and its intercept
func TestDecisions(t *testing.T) {
	var s *story
	fault.Replies(t, "testdata/decisions.txt", func(line string) []string {
		if strings.HasPrefix(line, "#") {
			s = newStory(t)
			return nil
		}
		return s.play(strings.Fields(line))
	})
}

type story struct {
	*fixture
	set         map[string]float64
	session, by string
	room        int
	slow        Decision
}

func newStory(t *testing.T) *story {
	s := &story{session: "s", room: MaxFiles,
		set: map[string]float64{"threshold": Balanced, "list": ListThreshold, "tokens": 2000}}
	s.fixture = newFixture(t, Options{Seed: "seed", Settings: func() Settings {
		return Settings{s.set["threshold"], s.set["list"], s.set["holdout"], int(s.set["tokens"])}
	}})
	return s
}

// play does what a line says, and returns what comes of it.
func (s *story) play(words []string) (came []string) {
	verb, rest := words[0], words[1:]
	number := func() float64 {
		n, err := strconv.ParseFloat(rest[0], 64)
		fault.Check(s.t, err)
		rest = rest[1:]
		return n
	}
	switch verb {
	case "set":
		s.set[rest[0]], _ = strconv.ParseFloat(rest[1], 64)
	case "likely":
		s.likely(number(), eventtest.Paths(rest)...)
	case "word":
		s.knows(rest[0], eventtest.Paths(rest[1:])...)
	case "in":
		s.session, s.by = strings.TrimPrefix(rest[0], "nobody"), strings.Join(rest[1:], "")
	case "room":
		s.room = int(number())
	case "wait":
		by, err := time.ParseDuration(rest[0])
		fault.Check(s.t, err)
		s.now = s.now.Add(by)
	case "ask", "unlogged":
		q := s.asks(rest[0])
		q.Query.Prompt = strings.Join(rest[1:], " ")
		return s.came(s.say(q, nil, s.words), verb == "ask")
	case "tell":
		return s.came(s.say(s.asks(rest[0]), facts(eventtest.Paths(rest[1:])...), s.words), true)
	case "decide":
		s.slow = s.p.Decide(s.asks(rest[0]), Found(facts(eventtest.Paths(rest[1:])...)))
	case "drop":
		s.p.Drop(s.slow)
	case "say":
		named := pathsOf(s.slow.Files())
		var out said
		out.Log, out.Why = s.p.Said(s.slow, "slow words", named)
		out.Shown = facts(named...)
		return s.came(out, false)
	case "thresholds":
		_, of := s.p.Threshold(s.session, s.now)
		for _, kind := range slices.Sorted(maps.Keys(of)) {
			came = append(came, fmt.Sprintf("%s %.4f", kind, of[kind]))
		}
		return []string{strings.Join(came, ", ")}
	case "records":
		for _, r := range s.p.Records() {
			came = append(came, fmt.Sprintf("%s: shown %v, withheld %v, shadow %v, intercept %.4f", r.Kind, r.Shown, r.Withheld,
				r.Shadow, s.p.Learned()[r.Kind].Value))
		}
	default:
		return s.outcomes(s.happen(s.done(verb, eventtest.Paths(rest))))
	}
	return came
}

func (s *story) asks(kind string) Question {
	q := s.question(HintKind(kind))
	q.Query.Session, q.Query.Subagent = s.session, s.by
	return q
}

// words are those of a hint that has room for a few files.
func (s *story) words(shown []event.Suggestion) (text string, named []event.Path) {
	for _, x := range shown[:min(s.room, len(shown))] {
		text, named = text+" "+string(x.File), append(named, x.File)
	}
	return text, named
}

// done is what an agent, a person or git does.
func (s *story) done(verb string, files []event.Path) event.Event {
	kinds := map[string]event.Kind{"compact": event.KindStart, "good": event.KindFeedback, "bad": event.KindFeedback}
	kind := event.Kind(verb)
	if k, other := kinds[verb]; other {
		kind = k
	}
	e := s.event(kind, files...)
	e.Session, e.Subagent = s.session, s.by
	switch verb {
	case "commit":
		e.Session = ""
	case "compact":
		eventtest.Set(&e, "Source", verb)
	case "bad":
		eventtest.Set(&e, "Helped", false)
	}
	return e
}

// came tells what a question came to, and logs it.
func (s *story) came(what said, log bool) (lines []string) {
	line := string(what.Why)
	for _, x := range what.Shown {
		line += fmt.Sprintf(" %s %.4f", x.File, x.Score)
	}
	lines = append(lines, line)
	for _, e := range what.Log {
		h := hintOf(e)
		line := "log " + h.Status + " " + h.Name
		for i, f := range h.Paths {
			line += fmt.Sprintf(" %s %.4f", f, h.Scores[i])
		}
		lines = append(lines, fmt.Sprintf("%s; %s, task %q, beside %v, %d tokens", line, h.Label, h.Task, h.Change, h.Tokens))
	}
	if log {
		return append(lines, s.outcomes(s.happen(what.Log...))...)
	}
	return lines
}

func (s *story) outcomes(resolved []session.Resolved) (lines []string) {
	for _, r := range resolved {
		lines = append(lines, fmt.Sprintf("came %s %s of %s: %s used %v", r.Status, r.Kind, r.Session, r.File.Path, r.File.Used))
	}
	slices.Sort(lines)
	return lines
}

// TestTextWithoutFiles: a text is said without files of the decision, too, and the files that it
// names are not said again.
func TestTextWithoutFiles(t *testing.T) {
	d := newFixture(t, Options{Settings: func() Settings { return Settings{Balanced, ListThreshold, 0, 20} }})
	ask := func(kind HintKind, before string, named []event.Path, found ...event.Path) said {
		t.Helper()
		dec := d.say(Question{Kind: kind, Query: d.query()}, facts(found...),
			func(s []event.Suggestion) (string, []event.Path) {
				if len(s) > 0 {
					return before + fmt.Sprint(paths(s)), append(paths(s), named...)
				}
				return before, named
			})
		d.happen(dec.Log...)
		d.now = d.now.Add(time.Second)
		return dec
	}
	first := ask(Start, "said before", []event.Path{"n.go"}, "x.go")
	if len(first.Log) != 1 || !slices.Equal(first.Log[0].Named(), []event.Path{"n.go"}) ||
		!slices.Equal(first.Log[0].Paths(), []event.Path{"x.go"}) || hintOf(first.Log[0]).Tokens != index.Tokens(first.Text) {
		t.Fatalf("%+v", first)
	}
	if dec := ask(Start, "", nil, "n.go"); len(dec.Shown) != 0 {
		t.Errorf("named twice: %+v", dec)
	}
	if dec := ask(Start, "alone", nil); len(dec.Log) != 1 || len(dec.Log[0].Paths()) != 0 || dec.Why != WhyShown {
		t.Errorf("%+v", dec)
	}
	if dec := ask(Reload, "of no files", nil); len(dec.Log) != 1 || len(dec.Log[0].Paths()) != 0 {
		t.Errorf("%+v", dec)
	}
	if left := d.p.Left("s", d.now); left != 20-index.Tokens(first.Text)-index.Tokens("alone")-index.Tokens("of no files") {
		t.Errorf("%d tokens left", left)
	}
	ask(Start, "a text that costs more than what is left of the allowance of this session", nil)
	if dec := d.p.Decide(Question{Kind: Start, Query: d.query()}, Found(nil)); !dec.Spent {
		t.Errorf("said beyond the allowance: %+v", dec)
	}
}
