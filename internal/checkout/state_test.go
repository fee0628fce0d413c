package checkout

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestChangedLines: the lines of an edit are counted in the file as it is after the edit, without what it left as it
// was.
func TestChangedLines(t *testing.T) {
	const text = "a\nb\nc\nd\nb\n"
	for _, x := range []struct {
		edits        []event.Swap
		first, count int
	}{
		{[]event.Swap{{Old: "x", New: "c"}}, 3, 1},
		{[]event.Swap{{Old: "a\nx\nc\n", New: "a\nb\nc\n"}}, 2, 1},
		{[]event.Swap{{Old: "c\n", New: "c\nd\n"}}, 4, 1},
		{[]event.Swap{{Old: "x", New: "c"}, {Old: "y", New: "a"}}, 1, 3},
		{[]event.Swap{{Old: "x", New: "b"}}, 0, 0},
		{[]event.Swap{{Old: "x", New: "gone since"}}, 0, 0},
		{[]event.Swap{{Old: "x", New: ""}}, 0, 0},
		{nil, 0, 0},
	} {
		if first, count := changedLines(text, x.edits); first != x.first || count != x.count {
			t.Errorf("%v: %d lines from %d, want %d from %d", x.edits, count, first, x.count, x.first)
		}
	}
}
