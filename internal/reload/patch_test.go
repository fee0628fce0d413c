package reload

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPlaces: a change of one of several places that look alike is never made, nor taken back, at
// another one. Each letter of a text is a line.
func TestPlaces(t *testing.T) {
	lines := func(letters string) []byte { return []byte(strings.Join(strings.Split(letters, ""), "\n")) }
	patch := patchOf("f", lines("....abcdefg....."), lines("....abcDefg.....")) // shows abc d efg
	for text, want := range map[string][2]bool{
		"....abcdefg.....":           {false, true},
		"....abcDefg.....":           {true, false},
		"....abcdefg....abcdefg....": {true, true},
		"....abcDefg....abcDefg....": {true, true},
		"....abcDefg....abcdefg....": {true, true},
		"....abcxefg.....":           {false, false}, // git refuses it
	} {
		got := [2]bool{misplaced(patch, string(lines(text)), '-'), misplaced(patch, string(lines(text)), '+')}
		fault.Same(t, text, got, want)
	}
	for _, c := range []struct{ before, after string }{{"ab", "xb"}, {"abcdefg", "abcdefx"}, {"", "a"}} {
		for _, text := range []string{c.before, c.before + c.before} {
			fault.Same(t, "at an end of "+text, misplaced(patchOf("f", lines(c.before), lines(c.after)), string(lines(text)), '-'),
				false)
		}
	}
}

// TestPatches: which changes of a file a patch is kept of, and that git makes of one side what the
// other was.
func TestPatches(t *testing.T) {
	d := newFixture(t, nil)
	long := strings.Repeat("line\n", 20)
	for _, c := range []struct{ name, before, after string }{{"a", "one\n", "two\n"}, {"a", "one", "two"}, {"a", "one\n", "one"},
		{"b c", long + "x\n" + long, long + "y\n" + long}, {"new", "", "text\n"}, {"déjà", "a\r\nb\r\n", "a\r\nc\r\n"}, {"t", "a \n", "b \n"}} {
		before := []byte(c.before)
		if c.name == "new" {
			before = nil
			_ = os.Remove(filepath.Join(d.root, c.name))
		} else {
			d.write(c.name, c.before)
		}
		patch := patchOf(event.Path(c.name), before, []byte(c.after))
		d.must(d.gitApply(t.Context(), patch))
		fault.Same(t, "patched", d.read(c.name), c.after)
		d.must(d.gitApply(t.Context(), patch, "-R"))
		fault.Same(t, "and back", d.read(c.name), c.before)
	}
	for name, after := range map[string]string{"same": "one", "nul": "\x00", "bytes": "\xff", "a\"b": "two", `a\b`: "two", "a\nb": "two"} {
		fault.Same(t, "the patch of "+name, patchOf(event.Path(name), []byte("one"), []byte(after)), "")
	}
	blob := func(_ context.Context, id string) []byte {
		return map[string][]byte{"known": []byte("from git")}[id]
	}
	call := func(act event.Act, swaps ...event.Swap) Action { return Action{Act: act, Edits: swaps} }
	for what, c := range map[string]struct {
		before string // hash
		calls  []Action
		want   string
		known  bool
	}{
		"a new file":              {gone, nil, "", true},
		"git has it":              {"known", nil, "from git", true},
		"replacements":            {index.BlobID([]byte("a b c")), []Action{call(event.ActEdit, event.Swap{Old: "b", New: "x"}), call(event.ActEdit, event.Swap{Old: "x", New: "y"})}, "a b c", true},
		"another hash":            {"other", []Action{call(event.ActEdit, event.Swap{Old: "b", New: "y"})}, "a b c", false},
		"no hash":                 {"", []Action{call(event.ActEdit, event.Swap{Old: "b", New: "y"})}, "a b c", true},
		"a deletion":              {"", []Action{call(event.ActEdit, event.Swap{Old: "b"})}, "", false},
		"it is not there":         {"", []Action{call(event.ActEdit, event.Swap{Old: "b", New: "z"})}, "", false},
		"it is there twice":       {"", []Action{call(event.ActEdit, event.Swap{Old: "b", New: " "})}, "", false},
		"all of them":             {"", []Action{call(event.ActEdit, event.Swap{Old: "-", New: " ", All: true})}, "a-y-c", true},
		"it was written as whole": {"", []Action{call(event.ActWrite, event.Swap{New: "a y c"})}, "", false},
	} {
		before, known := beforeOf(t.Context(), Worktree{Blob: blob}, &File{Before: c.before}, c.calls, []byte("a y c"))
		if string(before) != c.want && c.known || known != c.known {
			t.Errorf("%s: %q, %v", what, before, known)
		}
	}
}
