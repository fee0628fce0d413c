package main

import (
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestMeasure: a rename that mends its user is asked about without the user, which is named; one
// that leaves a user broken, which the next commit mends, speaks and was right.
func TestMeasure(t *testing.T) {
	r := repotest.New(t)
	r.Save("first", "a.go", "package r\n\nfunc ParseConfig() int { return 1 }\n",
		"b.go", "package r\n\nvar x = ParseConfig()\n", "c.go", "package r\n\nvar y = 1\n")
	r.Save("both", "a.go", "package r\n\nfunc ReadConfig() int { return 1 }\n", "b.go", "package r\n\nvar x = ReadConfig()\n")
	r.Save("one", "a.go", "package r\n\nfunc LoadConfig() int { return 1 }\n")
	r.Save("the other", "b.go", "package r\n\nvar x = LoadConfig()\n")
	h := fault.Must(read(t.Context(), r.Path(".git"), 400))
	fault.Check(t, h.measure())
	if want := (tally{commits: 3, spoke: 1, mended: 1, one: found{1, 1}, every: found{1, 1}}); h.tally != want {
		t.Errorf("%+v, want %+v", h.tally, want)
	}
}
