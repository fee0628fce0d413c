package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"modules/caddyhttp/reverseproxy/upstreams.go", 60, "modules/caddyhttp/reverseproxy/upstreams.go"},
		{"modules/caddyhttp/reverseproxy/upstreams.go", 40, "modules/…/reverseproxy/upstreams.go"},
		{"modules/caddyhttp/reverseproxy/upstreams.go", 30, "modules/…/upstreams.go"},
		{"modules/caddyhttp/reverseproxy/upstreams.go", 15, "…/upstreams.go"},
		{"modules/caddyhttp/reverseproxy/upstreams.go", 12, "upstreams.go"},
		{"modules/a_long_name_of_a_file.go", 12, "a_lon…ile.go"},
		{"changed together in 6 of 21 commits", 35, "changed together in 6 of 21 commits"},
		{"changed together in 6 of 21 commits", 24, "changed together in 6…"},
		{"changed together in 6 of 21 commits, 1 of them in the last year", 36, "changed together in 6 of 21 commits…"},
		{"it says fehlermeldungsübersicht", 14, "it says fehle…"},
		{"文件/目录/很长的文件名字.go", 12, "很长…名字.go"},
		{"改变在一起的文件 here", 9, "改变在一…"},
	} {
		if got := shorten(c.in, c.n); got != c.want || width(got) > c.n {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

// TestWideCharacters: columns begin at the same place of the screen, whatever characters stand before them.
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

// TestTablesFit: no line of a list is wider than the terminal, and no word of a table is broken.
func TestTablesFit(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out, width: 60}
	items := []string{"modules/caddyhttp/reverseproxy/upstreams_bench_test.go", "go.mod"}
	printList(a, "time\tfile\twhat", items, func(s string) []any {
		return []any{"2026-08-22 03:17:26", s, "caddyhttp: mitigate slowloris via deadlines"}
	})
	a.table("store\t/a/path/that/is/long/.git/aoa (12 MB of at most 500 MB, events kept 180 days)",
		"hints\tshown from 0.60 on")
	a.table("kinds\tpartner,rescue,search,start,prompt,stale,reload\tdefault\tthe hints that are shown, of which each may go")
	for line := range strings.Lines(out.String()) {
		if n := width(strings.TrimRight(line, "\n")); n > 60 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if !strings.Contains(out.String(), "\n       ") || !strings.Contains(out.String(), "events kept") {
		t.Errorf("the table does not continue on a second line:\n%s", &out)
	}
	out.Reset()
	a.width = 0
	printList(a, "", items, func(s string) []any { return []any{s, strings.Repeat("word ", 40)} })
	if !strings.Contains(out.String(), items[0]) || strings.Contains(out.String(), "…") {
		t.Errorf("cut without a terminal:\n%s", &out)
	}
}
