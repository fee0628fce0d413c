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

// body stands in functions that look alike.
const body = "  open\n  read\n  check\n  return nil\n  write\n  flush\n  close\n"

// TestPlaces: a change of one of several places that look alike is never made, nor taken back, at
// another one.
func TestPlaces(t *testing.T) {
	d := newFixture(t, nil)
	pad := strings.Repeat("\n", 4)
	one, two := "one:\n"+body+pad, "two:\n"+body+pad
	fixed := strings.Replace(one, "nil", "err", 1)
	for _, end := range []string{"end\n", "end", ""} {
		before, after := pad+one+two+end, pad+fixed+two+end
		patch := patchOf("f", []byte(before), []byte(after))
		d.write("f", before)
		d.must(d.gitApply(t.Context(), patch))
		fault.Same(t, "made", d.read("f"), after)
		d.must(d.gitApply(t.Context(), patch, "-R"))
		fault.Same(t, "taken back", d.read("f"), before)
		d.write("f", "head\n"+before)
		d.must(d.gitApply(t.Context(), patch))
		fault.Same(t, "made below a new line", d.read("f"), "head\n"+after)
		d.write("f", pad+two+end)
		if d.gitApply(t.Context(), patch) == nil {
			t.Errorf("made in the other function: %q", d.read("f"))
		}
	}
	same := strings.Repeat("same\n", 300)
	patch := patchOf("f", []byte(same+same), []byte(same+"new\n"+same))
	d.write("f", same+same)
	d.must(d.gitApply(t.Context(), patch))
	fault.Same(t, "between lines that are all the same", d.read("f"), same+"new\n"+same)
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
