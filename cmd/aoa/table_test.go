package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestWideCharacters: columns begin at the same place of the screen, whatever characters stand
// before them.
func TestWideCharacters(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out}
	printList(a, "", []string{"docs/设计.md", "docs/de\u0301sign.md", "a.md"},
		func(s string) []any { return []any{s, "|"} })
	for line := range strings.Lines(out.String()) {
		if before, _, _ := strings.Cut(line, "|"); width(before) != width("docs/design.md")+gap {
			t.Errorf("%q: the second column begins at %d", line, width(before))
		}
	}
}

// TestTablesFit: no line of a table is wider than the terminal, no word of it is broken, and
// nothing is cut.
func TestTablesFit(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out, width: 60}
	a.table("store\t/a/path/that/is/long/.git/aoa (12 MB of at most 500 MB, events kept 180 days)",
		"hints\tshown from 0.60 on")
	a.table("kinds\tpartner,rescue,search\tdefault\tthe hints that are shown, of which each may go")
	for line := range strings.Lines(out.String()) {
		if n := width(strings.TrimRight(line, "\n")); n > 60 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if !strings.Contains(out.String(), "\n       ") || !strings.Contains(out.String(), "events kept") {
		t.Errorf("the table does not continue on a second line:\n%s", &out)
	}
	out.Reset()
	long := "modules/caddyhttp/reverseproxy/upstreams_bench_test.go"
	printList(a, "", []string{long, "go.mod"}, func(s string) []any { return []any{s, strings.Repeat("word ", 40)} })
	if !strings.Contains(out.String(), long+"  word") || strings.Contains(out.String(), "…") {
		t.Errorf("a list is cut:\n%s", &out)
	}
}
