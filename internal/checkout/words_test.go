package checkout

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestHideWords: a word of a file, a path or the list stays; any other is one hash, always the same
// with a key.
func TestHideWords(t *testing.T) {
	dir := t.TempDir()
	seal, err := cold.OpenSeal(filepath.Join(dir, "key"))
	fault.Check(t, err)
	w := &Checkout{Reader: index.NewReader(event.Root(dir))}
	w.Reader.Skip()
	w.tree.Store(index.NewTree([]event.Path{"basket/checkout.go"}))
	w.Reader.Contents().Set("basket/checkout.go", []byte("package basket\n\n// payInvoice\nfunc payInvoice() {}\n"))
	set := &Set{Options: Options{Seal: seal, Hot: hot.New(nil)}, known: map[event.Root]*Checkout{event.Root(dir): w}}
	events := []event.Event{
		{Body: event.Prompt{Terms: index.Terms("invoice basket hunter refactor", 4), Idents: []string{"payinvoice", "hunter2pass"}}},
		{Body: event.Call{Act: event.ActSearch, Terms: index.Terms("hunter", 1), Glob: "*hunter*"}},
		{Body: event.Call{Act: event.ActSearch, Glob: "*basket*.go"}},
		{Body: event.Stop{Terms: index.Terms("invoice hunter", 2), Idents: []string{"payinvoice", "hunter2pass"}}}}
	set.HideWords(t.Context(), w, events, 0)
	got, search := events[0].Terms(), events[1].Call()
	if want := slices.Concat(index.Terms("invoice basket", 2), got[2:3], index.Terms("refactor", 1)); !slices.Equal(got, want) ||
		!strings.HasPrefix(got[2], event.HashedWord) || search.Terms[0] != got[2] {
		t.Errorf("terms are %q and %q", got, search.Terms)
	}
	if !slices.Equal(events[0].Idents(), []string{"payinvoice"}) || search.Glob != "" || !search.Cut ||
		events[2].Call().Glob != "*basket*.go" {
		t.Errorf("identifiers are %q, globs %q and %q", events[0].Idents(), search.Glob, events[2].Call().Glob)
	}
	if said := events[3]; said.Terms()[1] != got[2] || !slices.Equal(said.Idents(), []string{"payinvoice"}) {
		t.Errorf("of what the agent said: %q, %q", said.Terms(), said.Idents())
	}
	if again := set.Words(index.Terms("hunter", 1)); again[0] != got[2] {
		t.Errorf("asked for, it is %q, learned as %q", again[0], got[2])
	}
}
