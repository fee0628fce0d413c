package rank

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBelow: the files of a folder, those that are used last.
func TestBelow(t *testing.T) {
	w := newWorld(t)
	var all []event.Path
	for _, d := range strings.Fields("a b b/c ba") {
		all = append(all, event.Path(d+"/page.go"), event.Path(d+"/other.go"))
	}
	w.commit(epoch.AddDate(-1, 0, 0), "begin", all...)
	for i := range 6 {
		w.commit(epoch.Add(-time.Duration(i+2)*time.Hour), "change", "b/page.go", "a/other.go")
	}
	below := func(dir event.Path, limit int) []event.Path {
		t.Helper()
		got, err := w.ranker(Options{}).Below(t.Context(), dir, epoch, limit)
		fault.Check(t, err)
		return got
	}
	got := below("b", 9)
	fault.Same(t, "files of the folder", len(got), 4)
	if got[3] != "b/page.go" || slices.Contains(got, "ba/page.go") {
		t.Errorf("the used file is not the last: %v", got)
	}
	fault.Same(t, "the one that is used", below("b", 1), []event.Path{"b/page.go"})
	fault.Same(t, "an unknown folder", len(below("nowhere", 9)), 0)
	fault.Same(t, "a file", len(below("b/page.go", 9)), 0)
}
