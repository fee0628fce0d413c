package reload

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
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

// TestReplayElsewhere: a replay whose edit fits at two places of the file now, or was made at
// another place already, makes none, and is not said to apply.
func TestReplayElsewhere(t *testing.T) {
	pad := strings.Repeat("\n", 4)
	fixed := strings.Replace(body, "nil", "err", 1)
	for what, now := range map[string]string{"a copy": pad + body + pad + "copy:\n" + body + pad,
		"made by others": pad + fixed + pad + body + pad} {
		d := newFixture(t, map[string]string{"f": pad + body + pad, "g": "one\n"})
		d.turn("s", "return the error of the check", edits("f", "nil", "err"), edits("g", "one", "two"))
		const asks = "return the error of the check"
		found, err := d.cache.Find(t.Context(), d.w, asked(asks))
		fault.Check(t, err)
		if len(found) != 1 || !found[0].Applies {
			t.Fatalf("before: %+v", found)
		}
		d.write("f", now)
		if found, err := d.cache.Find(t.Context(), d.w, asked(asks)); err != nil || len(found) == 1 && found[0].Applies {
			t.Errorf("%s: it applies, %v", what, err)
		}
		r, err := d.cache.Replay(t.Context(), d.w, Request{ID: found[0].ID, Edits: true})
		if err != nil || r.Plan != "" || !strings.Contains(r.Diverged, string(event.Path("f"))) {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
}
