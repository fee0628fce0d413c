package reload

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func testLines(t testing.TB, file string) (out []string) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	fault.Check(t, err)
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if s.Text() != "" && !strings.HasPrefix(s.Text(), "#") {
			out = append(out, s.Text())
		}
	}
	return out
}

// prompted is a cache of entries with these prompts.
func prompted(prompts []string) *Cache {
	c := &Cache{}
	c.clear()
	for i, p := range prompts {
		c.add(&Entry{ID: fmt.Sprint(i), Trigger: Trigger{Type: Prompt}, Text: p})
	}
	return c
}

func (c *Cache) best(prompt string, unchanged float64) (text string, best float64) {
	for _, m := range c.fitting(Trigger{Type: Prompt}, index.NewRequest(prompt)) {
		if s := similarity(m.Similarity, unchanged); s > best {
			best, text = s, m.Text
		}
	}
	return text, best
}

// TestParaphrases: of prompts asked again in other words more than 80 % find the entry, also when
// three in ten of its files changed. Nothing of the second file was looked at when words and
// weights were chosen.
func TestParaphrases(t *testing.T) {
	for _, c := range []struct {
		file      string
		unchanged float64
	}{{"paraphrases.txt", 1}, {"paraphrases_other.txt", 1}, {"paraphrases.txt", 0.7}} {
		var asked, again []string
		for _, l := range testLines(t, c.file) {
			a, b, found := strings.Cut(l, " | ")
			if !found {
				t.Fatal(l)
			}
			asked, again = append(asked, a), append(again, b)
		}
		x := prompted(asked)
		hits := 0
		for i, p := range again {
			text, s := x.best(p, c.unchanged)
			if s >= 0.7 && text == asked[i] {
				hits++
				continue
			}
			a, b := index.NewRequest(asked[i]), index.NewRequest(p)
			t.Logf("missed: %.2f %q | %q %s", x.requests.Similarity(a, b), asked[i], p, a.Difference(b))
		}
		rate := float64(hits) / float64(len(again))
		t.Logf("%s, files unchanged %.0f%%: %d of %d found, %.0f%%", c.file, 100*c.unchanged, hits, len(again), 100*rate)
		if rate <= .8 {
			t.Errorf("%s: %.2f found, wanted more than .8", c.file, rate)
		}
	}
}

func TestDifferent(t *testing.T) {
	var asked []string
	for _, l := range testLines(t, "paraphrases.txt") {
		a, _, _ := strings.Cut(l, " | ")
		asked = append(asked, a)
	}
	all := testLines(t, "different.txt")
	if len(all) < 500 {
		t.Fatalf("%d requests", len(all))
	}
	false1 := 0
	x := prompted(asked)
	for _, p := range all {
		if text, s := x.best(p, 1); s >= 0.7 {
			false1++
			t.Logf("%.2f %q for %q", s, text, p)
		}
	}
	// Harder: every request against a cache of the hundred before it, all of its own making.
	false2 := 0
	for i, p := range all {
		x := prompted(all[max(0, i-100):i])
		if text, s := x.best(p, 1); s >= 0.7 {
			false2++
			if false2 < 30 {
				t.Logf("%.2f %q for %q", s, text, p)
			}
		}
	}
	t.Logf("false offers: %d of %d against %d entries, %d against the hundred before", false1, len(all), len(asked),
		false2)
	if max(false1, false2) > len(all)/50 {
		t.Errorf("%d and %d false offers of %d", false1, false2, len(all))
	}
}
