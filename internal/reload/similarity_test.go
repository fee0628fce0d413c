package reload

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func testLines(t testing.TB, file string) (out []string) {
	t.Helper()
	f := fault.Must(os.Open("testdata/" + file))
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

// TestDifferent: of five hundred requests that differ in a word, a number, a file or a negation, at
// most one in fifty gets the sequence of one of the hundred before it.
func TestDifferent(t *testing.T) {
	all, wrong := testLines(t, "different.txt"), 0
	for i, p := range all {
		if text, s := prompted(all[max(0, i-100):i]).best(p, 1); s >= 0.7 {
			wrong++
			t.Logf("%.2f %q for %q", s, text, p)
		}
	}
	if wrong > len(all)/50 {
		t.Errorf("%d false offers", wrong)
	}
}

// TestFindGolden compares what Find says of the pairs in testdata/pairs.golden: recorded | asked |
// similarity. The threshold of an offer must mean the same in every version.
func TestFindGolden(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "b.go"} {
		fault.Check(t, os.WriteFile(filepath.Join(root, name), []byte("package a\n"), 0o600))
	}
	now := time.Now().Add(time.Hour)
	files := []File{{Path: "a.go", After: blobOf(t, root, "a.go")}, {Path: "b.go", After: "0"}}
	find := func(recorded, asked string) string {
		blobs := fault.Must(cold.OpenBlobs(t.Context(), filepath.Join(root, "no.db"), cold.Options{Now: time.Now}))
		defer blobs.Close()
		c := New(Options{Blobs: blobs, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), Config: func() Config { return Config{MinSimilarity: 0.01} }})
		c.loaded = true
		c.add(&Entry{ID: "cache-x", Trigger: Trigger{Type: Prompt}, Text: recorded, Used: now, Files: files,
			Actions: make([]Action, minSteps)})
		found := fault.Must(c.Find(t.Context(), Worktree{Root: event.Root(root), Hash: hashIn(root)}, AskFor(asked)))
		if len(found) == 0 {
			return "nothing"
		}
		return fmt.Sprintf("%.9f %s", found[0].Similarity, found[0].Reason)
	}
	var got []string
	for _, line := range testLines(t, "pairs.golden") {
		f := strings.Split(line, " | ")
		got = append(got, f[0]+" | "+f[1]+" | "+find(f[0], f[1]))
	}
	fault.Golden(t, "testdata/pairs.golden", strings.Join(got, "\n")+"\n")
}

// TestPlaces: a change of one of several places that look alike is never made, nor taken back, at
// another one. Each letter of a text is a line.
func TestPlaces(t *testing.T) {
	lines := func(letters string) []byte { return []byte(strings.Join(strings.Split(letters, ""), "\n")) }
	patch := patchOf("f", lines("....abcdefg....."), lines("....abcDefg.....")) // shows abc d efg
	for text, want := range map[string][2]bool{
		"....abcdefg.....":           {false, true},
		"....abcDefg.....":           {true, false},
		"....abcdefg....abcdefg....": {true, true},
		"....abcDefg....abcDefg....": {true, true},
		"....abcDefg....abcdefg....": {true, true},
		"....abcxefg.....":           {false, false}, // git refuses it
	} {
		got := [2]bool{misplaced(patch, string(lines(text)), '-'), misplaced(patch, string(lines(text)), '+')}
		fault.Same(t, text, got, want)
	}
	// a block that ends as what is before it did: the lines without it are a part of the lines with it
	without, with := "....}n#rst.....", "....}n#E}n#rst....."
	for _, c := range []struct{ before, after string }{{without, with}, {with, without}} {
		patch := patchOf("f", lines(c.before), lines(c.after))
		for text, want := range map[string][2]bool{c.before: {false, true}, c.after: {true, false}} {
			got := [2]bool{misplaced(patch, string(lines(text)), '-'), misplaced(patch, string(lines(text)), '+')}
			fault.Same(t, c.before+" to "+c.after+" in "+text, got, want)
		}
	}
	for _, c := range []struct{ before, after string }{{"ab", "xb"}, {"abcdefg", "abcdefx"}, {"", "a"}} {
		for _, text := range []string{c.before, c.before + c.before} {
			fault.Same(t, "at an end of "+text, misplaced(patchOf("f", lines(c.before), lines(c.after)), string(lines(text)), '-'),
				false)
		}
	}
}

// TestPatches: which changes of a file a patch is kept of, and that git makes of one side what the
// other was.
func TestPatches(t *testing.T) {
	d := newFixture(t, nil)
	long := strings.Repeat("line\n", 20)
	for _, c := range []struct{ name, before, after string }{{"a", "one\n", "two\n"}, {"a", "one", "two"}, {"a", "one\n", "one"},
		{"b c", long + "x\n" + long, long + "y\n" + long}, {"new", "", "text\n"}, {"déjà", "a\r\nb\r\n", "a\r\nc\r\n"}, {"t", "a \n", "b \n"}} {
		before := []byte(c.before)
		if c.name == "new" {
			before = nil
			_ = os.Remove(filepath.Join(d.root, c.name))
		} else {
			d.write(c.name, c.before)
		}
		patch := patchOf(event.Path(c.name), before, []byte(c.after))
		fault.Check(d, d.gitApply(t.Context(), patch))
		fault.Same(t, "patched", d.read(c.name), c.after)
		fault.Check(d, d.gitApply(t.Context(), patch, "-R"))
		fault.Same(t, "and back", d.read(c.name), c.before)
	}
	for name, after := range map[string]string{"same": "one", "nul": "\x00", "bytes": "\xff", "a\"b": "two", `a\b`: "two", "a\nb": "two"} {
		fault.Same(t, "the patch of "+name, patchOf(event.Path(name), []byte("one"), []byte(after)), "")
	}
	blob := func(_ context.Context, id string) []byte {
		return map[string][]byte{"known": []byte("from git")}[id]
	}
	call := func(act event.Act, swaps ...event.Swap) Action { return Action{Act: act, Edits: swaps} }
	for what, c := range map[string]struct {
		before string // hash
		calls  []Action
		want   string
		known  bool
	}{
		"a new file":              {gone, nil, "", true},
		"git has it":              {"known", nil, "from git", true},
		"replacements":            {index.BlobID([]byte("a b c")), []Action{call(event.ActEdit, event.Swap{Old: "b", New: "x"}), call(event.ActEdit, event.Swap{Old: "x", New: "y"})}, "a b c", true},
		"another hash":            {"other", []Action{call(event.ActEdit, event.Swap{Old: "b", New: "y"})}, "a b c", false},
		"no hash":                 {"", []Action{call(event.ActEdit, event.Swap{Old: "b", New: "y"})}, "a b c", true},
		"a deletion":              {"", []Action{call(event.ActEdit, event.Swap{Old: "b"})}, "", false},
		"it is not there":         {"", []Action{call(event.ActEdit, event.Swap{Old: "b", New: "z"})}, "", false},
		"it is there twice":       {"", []Action{call(event.ActEdit, event.Swap{Old: "b", New: " "})}, "", false},
		"all of them":             {"", []Action{call(event.ActEdit, event.Swap{Old: "-", New: " ", All: true})}, "a-y-c", true},
		"it was written as whole": {"", []Action{call(event.ActWrite, event.Swap{New: "a y c"})}, "", false},
	} {
		before, known := beforeOf(t.Context(), Worktree{Blob: blob}, &File{Before: c.before}, c.calls, []byte("a y c"))
		if string(before) != c.want && c.known || known != c.known {
			t.Errorf("%s: %q, %v", what, before, known)
		}
	}
}
