package prefetch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// work is sessions of one turn each: the agent needs one file, searches for it unless it was shown the file, and
// opens it.
type work struct {
	hint     func(session int) event.Path // that is decided on, and shown or withheld
	searches func(shown bool) int         // of an agent that was shown the right file, and of one that was not
}

func target(session int) event.Path { return event.Path(fmt.Sprintf("f%d.go", session)) }

// log is what happens in n sessions, with decisions by the real Prefetcher.
func (w work) log(t *testing.T, n int) (events []event.Event, now time.Time) {
	t.Helper()
	d := newFixture(t, Options{Holdout: func() float64 { return .3 }, Seed: "proof"})
	for i := range n {
		id := fmt.Sprintf("session%d", i)
		happen := func(kind event.Kind, files ...event.Path) {
			e := d.event(kind, files...)
			e.Session = id
			d.happen(e)
		}
		happen(event.KindPrompt)
		hint := w.hint(i)
		dec, err := d.p.Decide(t.Context(), Question{Kind: Reload, Topic: id, Query: event.Query{Session: id, At: d.now},
			Found: []event.Suggestion{{File: hint, Score: .9}}, Say: func([]event.Suggestion) (string,
				[]event.Path) {
				return "see " + string(hint), nil
			}})
		fault.Check(t, err)
		d.happen(dec.Log...)
		for range w.searches(dec.Text != "" && hint == target(i)) {
			happen(event.KindSearch)
		}
		happen(event.KindRead, target(i))
		happen(event.KindPrompt)
	}
	return slices.Concat(d.log...), d.now
}

func (w work) prove(t *testing.T, n int) (Proof, KindProof) {
	t.Helper()
	events, now := w.log(t, n)
	p := Prove(events, Searching{}, now)
	if len(p.Kinds) != 1 || p.Kinds[0].Kind != Reload ||
		p.Sessions != int(p.Kinds[0].Shown.Predicted+p.Kinds[0].Withheld.Predicted) {
		t.Fatalf("%+v", p)
	}
	return p, p.Kinds[0]
}

func right(session int) event.Path { return target(session) }
func twice(shown bool) int {
	if shown {
		return 0
	}
	return 2
}

// TestProof: hints that spare two searches each are found to spare them.
func TestProof(t *testing.T) {
	p, k := work{right, twice}.prove(t, 200)
	if k.Texts != int(k.Shown.Predicted) || k.Shown.Resolved+k.Withheld.Resolved != 200 || k.Shown.Used != k.Shown.Resolved ||
		k.Withheld.Used != k.Withheld.Resolved {
		t.Errorf("%+v", k)
	}
	if want := 2 * searchTokens * float64(k.Texts); k.Searched != 0 || k.SearchedWithheld != 2 || k.Spared.Value != want ||
		p.Spared.Value != want {
		t.Errorf("spared %+v, want %v", k.Spared, want)
	}
	if k.Finding != Helps || k.Lacking != nil || p.Wrong != 0 || len(p.Losses) != 0 || k.Spent <= 0 || k.Spent != p.Spent {
		t.Errorf("%+v", p)
	}
}

// TestProofOfCostlySearches: what hints spare is counted at what a search costs in the repository.
func TestProofOfCostlySearches(t *testing.T) {
	events, now := work{right, twice}.log(t, 200)
	shipped, own := Prove(events, Searching{}, now), Prove(events, Searching{Searches: 1000, Tokens: 4_000_000}, now)
	if times := own.Spared.Value / shipped.Spared.Value; times < 3.5 || times > 4 || own.Spent != shipped.Spent {
		t.Errorf("spared %+v and %+v", shipped.Spared, own.Spared)
	}
}

// TestShuffledHints: hints about the files of other sessions score about zero, are found to lose what they cost, and
// retire.
func TestShuffledHints(t *testing.T) {
	p, k := work{func(i int) event.Path { return target(1000 + i) }, twice}.prove(t, 200)
	if k.Shown.Used != 0 || k.Right.Value != 0 || k.Spared.Low > 0 || k.Spared.High < 0 || k.Spared.Value > k.Spent ||
		k.Finding != Loses || k.Shown.Predicted != retireShown {
		t.Errorf("%+v", k)
	}
	if p.Wrong != k.Texts || p.Decided != k.Texts || len(p.Losses) != mostLosses {
		t.Errorf("%d of %d wrong, %d listed", p.Wrong, p.Decided, len(p.Losses))
	}
	if l := p.Losses[mostLosses-1]; l.Session == "" || len(l.Named) != 1 ||
		!slices.Equal(l.Opened, []event.Path{"f" + l.Named[0][2:]}) {
		t.Errorf("%+v", l)
	}
}

// TestShuffledArms: what is shown and what is withheld by chance after the fact differs by chance only.
func TestShuffledArms(t *testing.T) {
	events, now := work{right, twice}.log(t, 200)
	n := 0
	for i := range events {
		if e := &events[i]; e.Kind() == event.KindSuggest {
			eventtest.Set(e, "Arm", string([]Arm{Shown, Withheld}[n%2]))
			n++
		}
	}
	if k := Prove(events, Searching{}, now).Kinds[0]; k.Spared.Low > 0 || k.Spared.High < 0 || k.Finding != Undecided {
		t.Errorf("%+v", k)
	}
}

// TestLosingHints: hints that lead astray lose, and the finding says so.
func TestLosingHints(t *testing.T) {
	_, k := work{right, func(shown bool) int { return map[bool]int{true: 3, false: 2}[shown] }}.prove(t, 200)
	if k.Finding != Loses || k.Spared.High >= 0 {
		t.Errorf("%+v", k)
	}
}

// TestProofLacks: without enough there is no finding, but what is missing.
func TestProofLacks(t *testing.T) {
	_, k := work{right, twice}.prove(t, 8)
	if k.Finding != Undecided || k.Spared.Known || k.Lacking == nil || k.Lacking.Shown != retireShown-k.Shown.Resolved ||
		k.Lacking.Withheld != retireWithheld-k.Withheld.Resolved {
		t.Errorf("%+v, %+v", k, k.Lacking)
	}
	if p := Prove(nil, Searching{}, epoch); len(p.Kinds) != 0 || p.Spared.Known {
		t.Errorf("%+v", p)
	}
}

// TestProofOfConversations: what a subagent searches and carries is not the agent's.
func TestProofOfConversations(t *testing.T) {
	at := epoch
	e := func(kind event.Kind, by string, files ...event.Path) event.Event {
		at = at.Add(time.Second)
		return event.Event{ID: at.String(), Time: at, Session: "s", Subagent: by,
			Body: eventtest.Fill(kind, eventtest.Fields{"Paths": files, "To": files})}
	}
	hint := e(event.KindSuggest, "", "x.go")
	eventtest.Set(&hint, "Name", string(Rescue), "Arm", string(Shown), "Tokens", 100, "Scores", []float64{1})
	p := Prove([]event.Event{hint, e(event.KindSearch, "sub"), e(event.KindRead, "sub", "x.go"), e(event.KindSearch, ""),
		e(event.KindRead, "", "x.go")}, Searching{}, at)
	k := p.Kinds[0]
	if k.Searched != 1 || k.Shown != (Tally{1, 1, 1}) || k.Spent != 100*(written+2*read) {
		t.Errorf("%+v", k)
	}
}

// TestProofOfFiles: where files are decided on one by one, searches count for each, so that five shown beside one
// withheld are no advantage.
func TestProofOfFiles(t *testing.T) {
	at := epoch
	e := func(kind event.Kind, files ...event.Path) event.Event {
		at = at.Add(time.Second)
		return event.Event{ID: at.String(), Time: at, Session: "s", Body: eventtest.Fill(kind,
			eventtest.Fields{"Paths": files, "To": files})}
	}
	decided := func(arm Arm, files ...event.Path) event.Event {
		d := e(event.KindSuggest, files...)
		eventtest.Set(&d, "Name", string(Start), "Arm", string(arm))
		return d
	}
	k := Prove([]event.Event{decided(Shown, "a.go", "b.go"), decided(Withheld, "c.go"), e(event.KindSearch),
		e(event.KindRead, "a.go"), e(event.KindSearch),
		e(event.KindRead, "c.go"), e(event.KindSearch), e(event.KindRead, "b.go")}, Searching{}, at).Kinds[0]
	if k.Searched != 2 || k.SearchedWithheld != 2 {
		t.Errorf("%v searches for shown files, %v for withheld ones", k.Searched, k.SearchedWithheld)
	}
}
