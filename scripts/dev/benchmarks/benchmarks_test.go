package main

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// TestMiners: the published rules on a history that can be counted by hand. a was committed five
// times, four times with b, once with c and d; e was with d alone. old became b, gone was deleted.
func TestMiners(t *testing.T) {
	past := newTransactions()
	for _, files := range [][]event.Path{{"a", "old"}, {"a", "old", "gone"}, {"a", "old"}, {"d", "e"}, {"c", "d", "a"}} {
		past.learn(event.Event{Body: event.Commit{Paths: files}})
	}
	past.learn(event.Event{Body: event.Rename{From: []event.Path{"old"}, To: []event.Path{"b"}}})
	past.learn(event.Event{Body: event.Commit{Paths: []event.Path{"a", "b"}, Gone: []event.Path{"gone"}}})
	said := func(rules []rule) (out string) {
		for _, r := range rules {
			out += fmt.Sprintf("%s %.0f %.2f ", past.names[r.file], r.support, r.confidence)
		}
		return out
	}
	for _, c := range []struct {
		rule  string
		rank  func([]event.Path) []rule
		asked []event.Path
		want  string
	}{
		{"rose", past.rose, []event.Path{"a"}, "b 4 0.80 c 1 0.20 d 1 0.20 "},
		{"rose", past.rose, []event.Path{"a", "d"}, "c 1 1.00 "},
		{"rose", past.rose, []event.Path{"b", "d"}, ""}, // no commit has both
		{"tarmaq", past.tarmaq, []event.Path{"b", "e"}, "a 4 1.00 d 1 1.00 "},
		{"shared", past.shared, []event.Path{"a", "d"}, "b 4 0.80 c 1 0.50 e 1 0.50 "},
		{"shared", past.shared, []event.Path{"b"}, "a 4 1.00 "},
		{"counted", past.counted, []event.Path{"a", "d"}, "b 4 0.00 c 2 0.00 e 1 0.00 "},
	} {
		fault.Same(t, fmt.Sprintf("%s of %v", c.rule, c.asked), said(c.rank(c.asked)), c.want)
	}
}

// TestPlaces: of an issue all right files must be found, of a message one.
func TestPlaces(t *testing.T) {
	ranked, right := []event.Path{"x", "a", "y", "b"}, []event.Path{"b", "a"}
	for published, want := range map[bool]int{true: 4, false: 2} {
		fault.Same(t, fmt.Sprintf("published %v", published), (&texts{published: published}).at(ranked, right), want)
	}
	fault.Same(t, "a file that is not listed", (&texts{published: true}).at(ranked, []event.Path{"a", "q"}), 0)
}

// TestWords: identifiers are cut at their borders, and words are kept as they are written.
func TestWords(t *testing.T) {
	d := newDocument("parseConfig(parse_files) HTTP")
	if d.terms["parse"] != 2 || d.words["parseconfig"] != 1 || d.words["parse_files"] != 1 || d.terms["config"] != 1 {
		t.Errorf("%v, %v", d.terms, d.words)
	}
}

func TestReplace(t *testing.T) {
	const page = "x\n<!-- begin a -->\nold\n<!-- end a -->\ny\n"
	got, err := replace(page, "a", recorded.Line("1", "2")+"\n")
	if want := "x\n<!-- begin a -->\n| 1 | 2 |\n<!-- end a -->\ny\n"; err != nil || got != want {
		t.Errorf("%v: %q", err, got)
	}
	if _, err := replace(page, "b", ""); err == nil {
		t.Error("a page without the place is accepted")
	}
}
