package index_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFrames: testdata/frames.txt has a trace or an error of each language and tool. The line before
// it, "=== NAME: FILES", has the files of its frames, the innermost first.
func TestFrames(t *testing.T) {
	_, texts, _ := strings.Cut(string(fault.Must(os.ReadFile("testdata/frames.txt"))), "=== ")
	for trace := range strings.SplitSeq(texts, "\n=== ") {
		head, text, _ := strings.Cut(trace, "\n")
		name, want, _ := strings.Cut(head, ": ")
		fault.Same(t, name, strings.Join(index.ParseText(text+"\n").Frames, ", "), want)
	}
}

// FuzzParseText: in any text the lists are bounded, and all names can be resolved.
func FuzzParseText(f *testing.F) {
	for _, text := range []string{"File \"a.py\", line 3, in f\n", "\tx.go:1 +0x1\n", "at a.b.C.m(C.java:12)", "<!-- ", "`x` --a-b a::b C:\\x.cs:3 HEAD:a.go a.go:", "```\n#0 x at y.c:1",
		"a->b $x.y() https://a/blob/b/c", "\xff:\xff.py:1", "99999999999999999999.go:99999999999999999999"} {
		f.Add(text)
	}
	tree := index.NewTree([]event.Path{"a/b/c.go", "a/__init__.py", "x.py"})
	f.Fuzz(func(t *testing.T, text string) {
		p := index.ParseText(text)
		for _, list := range [][]string{p.Identifiers, p.TitleIdentifiers, p.Dotted, p.Paths} {
			if len(list) > 512 {
				t.Fatalf("%d entries", len(list))
			}
			for _, name := range list {
				if name == "" || len((&index.Locator{Tree: tree}).Files(name)) > 3 || len(tree.Modules(name)) > 3 {
					t.Fatalf("%q names %q", text, name)
				}
			}
		}
		for i := range p.Body {
			if p.Body[i].N < 1 || i > 0 && p.Body[i-1].Stem >= p.Body[i].Stem {
				t.Fatalf("words of %q: %v", text, p.Body)
			}
		}
	})
}

func TestPhrases(t *testing.T) {
	text := index.ParseText("config: parse the retry budget\n\nkeep comments")
	want := [][2]string{{"config", "parse"}, {"parse", "retr"}, {"retr", "budget"}, {"keep", "comment"}}
	fault.Same(t, "pairs", text.Pairs, want)
	values := text.Phrases([][]byte{
		[]byte("budget := retry\n"), // in the other order
		[]byte("func retryBudgets() {}\n"),
		[]byte("retry\nbudget\n"), // in two lines
		[]byte("// the retry of a budget, and retry_budget again\nkeepComments(x)\n"),
		nil,
	})
	one, two := math.Log1p(5), math.Log1p(5./2)/math.Sqrt2
	for i, want := range []float64{0, two, 0, two + one, 0} {
		if math.Abs(values[i]-want) > 1e-12 {
			t.Errorf("file %d: %v, want %v", i, values[i], want)
		}
	}
	fault.Same(t, "a text without pairs", (index.Text{}).Phrases(make([][]byte, 2)), []float64{0, 0})
}

func TestScope(t *testing.T) {
	for title, want := range map[string]string{
		"fix(parser): keep comments": "parse", "feat(http/server)!: close": "http serv", "[lsp] complete names": "lsp",
		"net/http, tls: refuse old versions": "http net tls", "caddyhttp: Fix a panic": "caddyhttp", "\n  rt: wake once\n\nbody: text": "rt",
		"fix: keep comments": "", "[Feature] more": "", "Keep comments": "", "See https://x.org": "", "one two three four: text": "",
	} {
		var words []string
		for _, w := range index.ParseText(title).Scope {
			words = append(words, w.Stem)
		}
		fault.Same(t, title, strings.Join(words, " "), want)
	}
}
