package checkout

import (
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestDifferentLines: the lines of a file that differ from HEAD are those that a person sees in the
// file now.
func TestDifferentLines(t *testing.T) {
	for _, x := range []struct {
		before, now string
		want        [][2]int
	}{
		{"a\nb\nc\n", "a\nb\nc\n", nil},
		{"a\nb\nc\n", "a\nx\nc\n", [][2]int{{2, 2}}},
		{"a\nb\nc\n", "x\ny\na\nb\nc\nz", [][2]int{{1, 2}, {6, 6}}},
		{"a\r\nb\r\n", "a\nx\n", [][2]int{{2, 2}}},
		{"a\nb\nc\n", "a\nc\n", nil},
		{"", "a\n", [][2]int{{1, 1}}},
		{"a\n", "", nil},
	} {
		fault.Same(t, x.before+" and "+x.now, differentLines(x.before, x.now), x.want)
	}
}
