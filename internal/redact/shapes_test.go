package redact

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// lines are the lines of a file of testdata, without comments, each cut into its parts.
func lines(t testing.TB, name string) (out [][]string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	fault.Check(t, err)
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " ¦ ")
		for i, p := range parts {
			if text, err := strconv.Unquote(p); err == nil && strings.HasPrefix(p, `"`) {
				parts[i] = text
			}
		}
		out = append(out, parts)
	}
	return out
}

func TestShapes(t *testing.T) {
	shapes := lines(t, "shapes.txt")
	if len(shapes) < 140 {
		t.Fatalf("%d shapes", len(shapes))
	}
	for _, c := range shapes {
		gone, kept, text := c[0], c[1], c[2]
		got := Text(text)
		if strings.Contains(got, gone) || !strings.Contains(got, kept) {
			t.Errorf("%q became %q: %q must go, and %q stay", text, got, gone, kept)
		}
		fault.Same(t, "once redacted", Text(got), got)
		for _, word := range CommandTerms(text, 100) {
			if strings.Contains(strings.ToLower(gone), word) && !strings.Contains(strings.ToLower(got), word) {
				t.Errorf("%q: %q of the secret is a term", text, word)
			}
		}
	}
}

// TestMisses: what is missed is listed. One that is caught from now on moves to the shapes, and out
// of SECURITY.md.
func TestMisses(t *testing.T) {
	for _, c := range lines(t, "misses.txt") {
		if stays, text := c[0], c[2]; !strings.Contains(Text(text), stays) {
			t.Errorf("no longer missed: %q", text)
		}
	}
}

func TestHarmlessTextIsKept(t *testing.T) {
	for _, c := range lines(t, "spared.txt") {
		fault.Same(t, "redacted", Text(c[0]), c[0])
	}
}
