package aoa

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNewPath(t *testing.T) {
	for in, want := range map[string]Path{"a/b.go": "a/b.go", "./a//b/../c.go": "a/c.go", "a\nb": "a\nb", "\xff.go": "\xff.go", "..a": "..a"} {
		if got, err := NewPath(in); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", ".", "..", "../a", "a/../../b", "/a", "a\x00b", ".git", ".git/config", strings.Repeat("a/", MaxPath)} {
		if got, err := NewPath(in); !errors.Is(err, ErrPath) {
			t.Errorf("%.20q: %q, %v; want ErrPath", in, got, err)
		}
	}
}

func FuzzNewPath(f *testing.F) {
	for _, s := range []string{"a/b", "../x", "/etc", "a/./b", ".git/x", "\x00", "a\\b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := NewPath(s)
		if err != nil {
			return
		}
		if again, err := NewPath(string(p)); again != p || err != nil {
			t.Fatalf("%q became %q, then %q, %v", s, p, again, err)
		}
		if strings.HasPrefix(string(p), "/") || p == ".." || strings.HasPrefix(string(p), "../") {
			t.Fatalf("%q leaves the repository", p)
		}
		if d := p.Display(); strings.ContainsAny(d, "\x00\x1b\n\r\u202e") {
			t.Fatalf("%q is shown as %q", p, d)
		}
	})
}

func TestTerms(t *testing.T) {
	for in, want := range map[string][]string{
		"fix the TCPServer in parse_config.go": {"tcp", "server", "parse", "config"},
		"loginTimeout LoginTimeouts, 42 x":     {"login", "timeout"},
		"testing the tests":                    {"test"},
		"":                                     nil,
	} {
		if got := Terms(in, 10); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Terms(strings.Repeat("abc def ", 1000), 1); len(got) != 1 {
		t.Errorf("more than asked: %q", got)
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("HTTPServer löst aB1 \xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range Terms(s, 8) {
			if len(w) < 1 || len(w) > 64 || w != strings.ToLower(w) {
				t.Fatalf("%q gave %q", s, w)
			}
		}
	})
}

func TestTree(t *testing.T) {
	tree := NewTree([]Path{"rank/rank.go", "rank/rank_test.go", "learn/doc.go", "rank/doc.go", "web/App.spec.ts", "web/App.ts"})
	for name, want := range map[string]Path{
		"rank/rank.go": "rank/rank.go", "rank.go": "rank/rank.go", "./rank/rank.go:12:3": "rank/rank.go", "b/rank/rank.go": "rank/rank.go",
		"/home/me/repo/rank/rank.go": "rank/rank.go", `rank\rank.go`: "rank/rank.go", "doc.go": "", "nowhere.go": "", "": "", "xrank/rank.go": "",
	} {
		if got, ok := tree.Resolve(name); got != want || ok != (want != "") {
			t.Errorf("%q means %q, want %q", name, got, want)
		}
	}
	if got := tree.Stem("web/App.ts"); len(got) != 2 {
		t.Errorf("stem partners are %v", got)
	}
	if got := tree.Word("rank"); len(got) != 3 {
		t.Errorf("files with the word rank are %v", got)
	}
	tree.Remove("rank/rank.go", "never.go")
	if tree.Has("rank/rank.go") || tree.Len() != 5 || len(tree.Base("rank.go")) != 0 {
		t.Error("a removed file stays")
	}
	tree.Add("rank/rank.go", "rank/rank.go")
	if !tree.Has("rank/rank.go") || tree.Len() != 6 {
		t.Error("an added file is missing, or there twice")
	}
}

func TestNormalize(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	e := Event{Time: now.Add(time.Hour), Text: strings.Repeat("é", MaxText), Seen: make([]Path, MaxSeen+5)}.Normalize(now)
	if !e.Time.Equal(now) || len(e.Text) > MaxText || len(e.Seen) != MaxSeen {
		t.Errorf("normalised to %v, %d bytes, %d seen", e.Time, len(e.Text), len(e.Seen))
	}
	soon := now.Add(time.Minute + 123456*time.Nanosecond)
	if e := (Event{Time: soon}).Normalize(now); !e.Time.Equal(soon.Truncate(time.Millisecond)) {
		t.Errorf("a clock one minute ahead became %v", e.Time)
	}
}

func TestWords(t *testing.T) {
	s := Suggestion{Reasons: []Reason{{"committed", 1, 2, "committed today"}, {"bias", 1, -4, ""}, {"never", 1, -1, "never opened"}, {"comod", .5, 1, "changed together"}}}
	if got := s.Words(); got != "changed together" {
		t.Errorf("the reason given is %q", got)
	}
	if got := (Suggestion{Reasons: s.Reasons[:3]}).Words(); got != "committed today" {
		t.Errorf("without a better one it is %q", got)
	}
}
