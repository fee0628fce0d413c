package change

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestExceptions: a line has two paths and perhaps a comment. What cannot be read is named with its
// line.
func TestExceptions(t *testing.T) {
	pairs, unread := parse(strings.Join([]string{"# of v2", "", "api/wire.go docs/json.md  # since v2", "a\tb", `"a b#.go" "\"q\""`,
		"one", "three of them", `"no end`, "../out in", "c d#e", `"\x" y`, "x y"}, "\n"))
	fault.Same(t, "pairs", len(pairs), 5)
	for _, p := range []pair{{"api/wire.go", "docs/json.md"}, {"a", "b"}, {"a b#.go", `"q"`}, {"c", "d#e"}, {"x", "y"}} {
		if !pairs[p] {
			t.Errorf("%v is not an exception", p)
		}
	}
	var lines []string
	for _, u := range unread {
		at, _, _ := strings.Cut(u, ": ")
		lines = append(lines, at)
	}
	fault.Same(t, "unread", strings.Join(lines, " "), ".aoa/exceptions:6 .aoa/exceptions:7 .aoa/exceptions:8 "+
		".aoa/exceptions:9 .aoa/exceptions:11")
}

// FuzzException: the line that the check prints for a pair silences that pair and no other.
func FuzzException(f *testing.F) {
	f.Add("api/wire.go", "docs/json.md")
	f.Add("a b", `"q"#`)
	f.Add("#x", "\tö\x00")
	f.Fuzz(func(t *testing.T, with, file string) {
		a, err := event.NewPath(with)
		b, bad := event.NewPath(file)
		if err != nil || bad != nil {
			t.Skip()
		}
		pairs, unread := parse(line(a, b) + "  # why\n")
		if len(pairs) != 1 || !pairs[pair{a, b}] || len(unread) > 0 {
			t.Errorf("%q: %v %v", line(a, b), pairs, unread)
		}
	})
}
