package prefetch

import (
	"math"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/eventtest"
)

// TestSearching: the estimate begins as shipped, and moves to what the repository's turns and searches show.
func TestSearching(t *testing.T) {
	d := newFixture(t, Options{})
	counted := d.p.Seeks
	if s := counted(); s != (Searching{}) || s.PerTurn() != turnSearches || s.PerSearch() != searchTokens ||
		s.Spared() != turnSearches*searchTokens {
		t.Fatalf("before anything happened: %+v", s)
	}
	search := func(tokens int) {
		e := d.event(event.KindSearch)
		eventtest.Set(&e, "Tokens", tokens)
		d.happen(e)
	}
	d.happen(d.event(event.KindPrompt))
	search(3000)
	search(5000)
	search(0) // of a result with other things in it
	d.happen(d.event(event.KindRead, "a.go"))
	search(1000)
	d.happen(d.event(event.KindRead, "b.go"))
	want := Searching{Turns: 1, Before: 3, Searches: 3, Tokens: 9000}
	if s := counted(); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	again := d.event(event.KindSearch)
	eventtest.Set(&again, "Tokens", 1000)
	d.happen(d.event(event.KindRead, "a.go"), d.event(event.KindPrompt), again, d.event(event.KindRead, "a.go"),
		d.event(event.KindPrompt))
	if s := counted(); s.Turns != 1 || s.Searches != 4 {
		t.Errorf("a turn that opened nothing new was counted: %+v", s)
	}
	d.likely(.9, "x.go")
	if dec := d.ask(Prompt); len(dec.Shown) != 1 {
		t.Fatal(dec.Why)
	}
	d.happen(d.event(event.KindRead, "x.go"))
	if s := counted(); s.Turns != 1 {
		t.Errorf("a turn that was shown a list says nothing of turns that are not: %+v", s)
	}
	s := Searching{Turns: turnsPrior, Before: 5 * turnsPrior, Searches: sizesPrior, Tokens: 3000 * sizesPrior}
	if math.Abs(s.PerTurn()-(turnSearches+5)/2) > 1e-9 || math.Abs(s.PerSearch()-(searchTokens+3000)/2) > 1e-9 {
		t.Errorf("%v searches of %v tokens: not half way", s.PerTurn(), s.PerSearch())
	}
}
