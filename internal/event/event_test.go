package event

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
	for ahead, want := range map[time.Duration]time.Duration{2 * time.Minute: 2 * time.Minute, 2*time.Minute + time.Millisecond: 0} {
		fault.Same(t, "a clock ahead by "+ahead.String(), Event{Time: now.Add(ahead)}.Normalize(now).Time.Sub(now), want)
	}
	if e := (Event{Time: soon}).Normalize(now); !e.Time.Equal(soon.Truncate(time.Millisecond)) {
		t.Errorf("a clock one minute ahead became %v", e.Time)
	}
}

// TestNormalizeDates: a time that the log or JSON cannot hold becomes the nearest one that they
// can.
func TestNormalizeDates(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	last := time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)
	for _, c := range []struct {
		author, want time.Time
	}{
		{now.Add(time.Microsecond), now}, {time.Time{}, time.Time{}}, {time.Unix(0, 0), time.Unix(0, 0)},
		{time.Unix(253402300799, 0), last.Truncate(time.Second)}, {time.Unix(253402300800, 0), last},
		{time.Unix(-1, 0), time.Unix(0, 0)}, {time.Unix(-1<<40, 0), time.Unix(0, 0)},
	} {
		for _, b := range []Body{Commit{Author: c.author}, Uncommit{Author: c.author}} {
			e := Event{Time: now, Body: b}
			got := e.Normalize(now)
			author := Commit{}.Author
			switch b := got.Body.(type) {
			case Commit:
				author = b.Author
			case Uncommit:
				author = b.Author
			}
			if !author.Equal(c.want) {
				t.Errorf("%T of %v is of %v", b, c.author, author)
			}
			if _, err := json.Marshal(got); err != nil {
				t.Error(err)
			}
		}
	}
	for _, at := range []time.Time{{}, time.Unix(-1, 0), time.Unix(1<<60, 0)} {
		for _, now := range []time.Time{now, time.Unix(1<<40, 0)} {
			got := Event{Time: at}.Normalize(now)
			if _, err := json.Marshal(got); err != nil || got.Time.Year() < 1970 {
				t.Errorf("%v at %v is %v: %v", at, now, got.Time, err)
			}
		}
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

// TestUnseal: what the log seals of an event is what it gets back.
func TestUnseal(t *testing.T) {
	for _, b := range []Body{Call{Act: ActRun, Text: "go test", Failing: []string{"FAIL: TestX", "FAIL: TestY"}},
		Call{Act: ActRun, Text: "go test"}, Call{Act: ActRun, Failing: []string{"x"}}, Prompt{Text: "\x00[\"as if sealed\"]"}, Prompt{Text: "go on"},
		Prompt{}} {
		e := Event{Body: b}
		got := e.WithoutText()
		got.Unseal(e.Sealed())
		fault.Same(t, fmt.Sprintf("%+v", b), got, e)
	}
	e := Event{Body: Call{Text: "x", Failing: []string{"y"}}}
	e.ChangeText(func(text *string, _ *[]string) { *text = "" })
	fault.Same(t, "lines of an output whose text is gone", len(e.Call().Failing), 0)
	for sealed, want := range map[string]string{"\x00[]": "\x00[]", "\x00not JSON": "\x00not JSON"} {
		e := Event{Body: Prompt{}}
		e.Unseal(sealed)
		fault.Same(t, sealed, e.Text(), want)
	}
}

// FuzzQuoted: a quoted name is one line of visible characters, and its quotation marks are at its
// ends.
func FuzzQuoted(f *testing.F) {
	f.Add("a b\".go\x00\xff\u202e")
	f.Fuzz(func(t *testing.T, name string) {
		got := Path(name).Quoted()
		inner := strings.TrimSuffix(strings.TrimPrefix(got, `"`), `"`)
		if strings.ContainsAny(inner, "\"`<>\n") || strings.ContainsFunc(got, func(r rune) bool { return !Visible(r) }) || !utf8.ValidString(got) {
			t.Fatalf("%q is quoted as %q", name, got)
		}
		if n := len(got) - len(inner); n != 0 && n != 2 {
			t.Fatalf("%q is quoted as %q", name, got)
		}
	})
}
