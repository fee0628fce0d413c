package redact

import (
	"math/rand/v2"
	"os"
	"regexp"
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

// TestGitleaks: every rule can be tried, and those of services that no rule of our own knows find
// their tokens.
func TestGitleaks(t *testing.T) {
	if len(known().rules) < 200 {
		t.Fatalf("%d rules", len(known().rules))
	}
	for _, r := range known().rules {
		if r.Spare != "" && exceptions[r.Spare] == nil {
			t.Errorf("%s: no function is called %s", r.Regex, r.Spare)
		}
		if _, err := regexp.Compile(r.Regex); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if _, err := regexp.Compile(r.Allow); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if len(r.Keywords) == 0 && !r.Long {
			t.Errorf("%s is never tried", r.ID)
		}
		for _, k := range r.Keywords {
			if len(k) < 3 || k != strings.ToLower(k) {
				t.Errorf("%s: the keyword %q is never found", r.ID, k)
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(n int, from string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = from[rng.IntN(len(from))]
		}
		return string(b)
	}
	const hex, num, any = "0123456789abcdef", "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for _, secret := range []string{"nt" + "n_" + pick(11, num) + pick(35, any), "psca" + "le_tkn_" + pick(43, any),
		"pu" + "l-" + pick(40, hex), "ruby" + "gems_" + pick(48, hex),
		"shp" + "ss_" + pick(32, hex), "da" + "pi" + pick(32, hex), "S" + "K" + pick(32, hex), "PM" + "AK-" + pick(24,
			hex) + "-" + pick(34, hex), "duf" + "fel_test_" + pick(43, any)} {
		text := "use " + secret + " for it"
		fault.Same(t, text, Text(text), "use "+Mark+" for it")
	}
	key := pick(32, hex)
	if got := Text("ALGOLIA: " + key); got != "ALGOLIA: "+Mark {
		t.Errorf("%q", got)
	}
}

// TestEntropy: what is too regular to be a token of that kind stays.
func TestEntropy(t *testing.T) {
	if h := entropy("aabb"); h != 1 {
		t.Errorf("%v bits", h)
	}
	for text, want := range map[string]bool{"da" + "pi" + strings.Repeat("ab", 16): false,
		"da" + "pi0123456789abcdef0123456789abcdef": true} {
		fault.Same(t, text+" is taken out", Text(text) != text, want)
	}
}
