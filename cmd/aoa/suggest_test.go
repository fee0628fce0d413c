package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestWorthListing: what is unlikely is listed if it shares commits with the change.
func TestWorthListing(t *testing.T) {
	list := []event.Suggestion{{File: "likely.go", Score: .05},
		{File: "shares.go", Score: .01, Together: &event.Together{Both: 2, Of: 90}},
		{File: "once.go", Score: .01, Together: &event.Together{Both: 1, Of: 9}}, {File: "none.go", Score: .04}}
	got := worthListing(list, false, false)
	if len(got) != 2 || got[0].File != "likely.go" || got[1].File != "shares.go" {
		t.Errorf("%+v", got)
	}
	if got := worthListing(list, true, false); len(got) != 0 {
		t.Errorf("with nothing to go on: %+v", got)
	}
}

// TestReadNames: names as git, fzf and Windows write them.
func TestReadNames(t *testing.T) {
	for in, want := range map[string][]string{
		"a.go\nb c.go":                        {"a.go", "b c.go"},
		"a.go\r\n  \r\n\nb.go\r\n":            {"a.go", "b.go"},
		"a.go\x00new\nline\x00":               {"a.go", "new\nline"},
		`"d\303\251j\303\240.go"` + "\n":      {"déjà.go"},
		`"a\tb\"c"` + "\n" + `"open` + "\n\"": {"a\tb\"c", `"open`, `"`},
		"`raw`\n'x'\n":                        {"`raw`", "'x'"},
		"\n \n":                               nil,
		"\x00":                                nil,
	} {
		got, err := readNames(strings.NewReader(in))
		fault.Same(t, fmt.Sprintf("names of %q", in), fmt.Sprintf("%q", got), fmt.Sprintf("%q", want))
		if (err != nil) != (want == nil) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestLargeFile: only a large file is called large, although the size of each counts against it.
func TestLargeFile(t *testing.T) {
	for value, want := range map[float64]string{.5: "same stem", .9: "same stem; less because it is a large file"} {
		s := event.Suggestion{Reasons: []event.Reason{{Signal: "size", Value: value, Weight: -1.3},
			{Signal: "stem", Value: 1, Weight: .1, Text: "same stem"}}}
		fault.Same(t, fmt.Sprint(value), (&app{}).because(s), want)
	}
}
