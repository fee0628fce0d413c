package recorded

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestTable: repositories count the same whatever was asked of them, and only those that were
// asked.
func TestTable(t *testing.T) {
	var x, y Table
	for i, place := range []int{1, 4, 0, 1} {
		x.Place(Own, "T2 ", "a/b", string(rune('p'+i)), place)
		x.Place("recent", "T2 ", "a/b", string(rune('p'+i)), 2)
		y.Place(Own, "T2 ", "a/b", string(rune('p'+i)), 0)
	}
	x.Place(Own, "T2 ", "c/d", "s", 3)
	x.Add(Own, "T2 hit1", "e/f", "s", 0, 0)
	for measure, want := range map[string]float64{"T2 hit1": .25, "T2 hit3": .75, "T2 hit5": .875, "T2 hit10": .875,
		"T2 mrr": (2.25/4 + 1./3) / 2} {
		if got := x.Mean(Own, measure); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", measure, got, want)
		}
	}
	if in := x.Interval(Own, "T2 hit1"); !(in[0] < .25 && .25 < in[1]) {
		t.Errorf("the interval %v does not hold the mean", in)
	}
	if n := x.N(Own, "T2 hit1"); n != 5 {
		t.Errorf("%d questions, want 5", n)
	}
	if got := x.Losses("T2 hit3"); got != "a/b .50 against 1.00 of recent" {
		t.Error(got)
	}
	if got := x.Losses("T2 hit1"); got != "none" {
		t.Error(got)
	}
	name := filepath.Join(t.TempDir(), "table.json")
	var out, said bytes.Buffer
	fault.Check(t, y.Write(&out))
	fault.Check(t, os.WriteFile(name, out.Bytes(), 0o600))
	if err := x.Compare(&said, name); err != nil || !strings.Contains(said.String(), "0.000 → 0.250: +0.500") {
		t.Errorf("%v: %s", err, &said) // of the repository that both have
	}
}
