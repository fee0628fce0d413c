package event

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/scripts/fault"
)

func TestNewPath(t *testing.T) {
	for in, want := range map[string]Path{"a/b.go": "a/b.go", "./a//b/../c.go": "a/c.go", "a\nb": "a\nb",
		"\xff.go": "\xff.go", "..a": "..a"} {
		if got, err := NewPath(in); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", ".", "..", "../a", "a/../../b", "/a", "a\x00b", ".git", ".git/config",
		strings.Repeat("a/", MaxPath)} {
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

func TestNormalize(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	b := Prompt{Text: strings.Repeat("é", MaxText), Seen: make([]Path, MaxSeen+5)}
	e := Event{Time: now.Add(time.Hour), Body: b}.Normalize(now)
	if !e.Time.Equal(now) || len(e.Text()) > MaxText || len(e.Seen()) != MaxSeen {
		t.Errorf("normalised to %v, %d bytes, %d seen", e.Time, len(e.Text()), len(e.Seen()))
	}
	soon := now.Add(time.Minute + 123456*time.Nanosecond)
	if e := (Event{Time: soon}).Normalize(now); !e.Time.Equal(soon.Truncate(time.Millisecond)) {
		t.Errorf("a clock one minute ahead became %v", e.Time)
	}
}

func TestWords(t *testing.T) {
	s := Suggestion{Reasons: []Reason{{Signal: "committed", Value: 1, Weight: 2, Text: "committed today"},
		{Signal: "bias", Value: 1, Weight: -4},
		{Signal: "never", Value: 1, Weight: -1, Text: "never opened"}, {Signal: "comod", Value: .5, Weight: 1,
			Text: "changed together"}}}
	fault.Same(t, "reason", s.Words(), "changed together")
	fault.Same(t, "without a better reason", (Suggestion{Reasons: s.Reasons[:3]}).Words(), "committed today")
}

// FuzzClip: a clipped text is short enough, and the beginning of the text.
func FuzzClip(f *testing.F) {
	f.Add("don't fix rank/score.go from a to b #12 fooBar 日本 and more")
	f.Fuzz(func(t *testing.T, text string) {
		if s := Clip(text, 40); utf8.ValidString(text) && (len(s) > 40 || !strings.HasPrefix(text, s)) {
			t.Fatalf("%q", s)
		}
	})
}
