package index_test

import (
	"math"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
