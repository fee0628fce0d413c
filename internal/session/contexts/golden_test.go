package contexts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var prompts = []string{
	"Please rewrite the importer. It reads the whole archive into memory at once, which fails for the large ones; we " +
		"saw it die at 4 GB. Use a.go and b.go as they are.\nThe tests in importer_test.go have to pass.",
	"make the tokenizer of the parser skip comments",
	"yes, go ahead!", "ok", "3", "/compact", "Sure, and thanks again. Please continue where you left off", "yes, but rename it",
	"[Image: source: /tmp/x.png]", "[Image: source: /tmp/x.png]\nmake the picture smaller", "直してください。 ありがとう、またね", "don't", "oui",
	"speed up the parser of the importer, because the nightly import takes four hours when the archive is large, and nobody wants to wait",
	"one very long sentence that goes on, with a clause about parsers, and with others that never come to an end",
	"日本語のプロンプトです。パーサーを直してください！ありがとう。", "löse den Fehler im Größenvergleich; er tritt nur auf Windows auf",
	"write a changelog for the release\n\n```\nfix: x\n```\n- keep it short\n* and honest? Yes.",
	"why does the upload of pictures fail? I see HTTP 413 in the log. The limit is in nginx.conf, I think.",
	strings.Repeat("unbreakable", 20), "let the tokenizer of the parser skip comments, too",
	"FixTheTCPServer in parse_config.go, please — the client's retry loop (see retry.go) never ends",
}

// TestTextsGolden compares how prompts are shortened, summarized and found again with
// testdata/texts.golden.
func TestTextsGolden(t *testing.T) {
	var b strings.Builder
	h := &history{budget: DefaultBudget}
	r := newContextFixture(t)
	for i, p := range prompts {
		fmt.Fprintf(&b, "%.80q\n\tempty %v\n", p, empty(p))
		for _, tokens := range []int{5, 9, 14, 24, 60} {
			fmt.Fprintf(&b, "\t%d %q\n", tokens, extract(p, tokens))
		}
		h.shorten(prompt{at: noon.Add(time.Duration(i) * time.Minute), text: p})
		s := &tape{session: fmt.Sprint("s", i), n: i * 10}
		r.log(t, s.ask(p).do(event.KindEdit, event.Path(fmt.Sprintf("d%d/a.go", i))).events...)
	}
	fmt.Fprintf(&b, "%s\n", h.shortened())
	for _, q := range []string{"skip comments in the tokenizer of the parser", "speed up the import of large archives",
		"write the release changelog", "the tcp server never retries",
		"upload of pictures fails with 413", "Größenvergleich auf Windows", "paint the bikeshed", "parser"} {
		found, err := r.similarTo(t.Context(), q, 4, nil)
		fault.Check(t, err)
		fmt.Fprintf(&b, "like %q\n", q)
		for _, s := range found {
			fmt.Fprintf(&b, "\t%.9f %s %q %q\n", s.score, s.session, s.text[:min(40, len(s.text))], s.files)
		}
	}
	fault.Golden(t, "testdata/texts.golden", b.String())
}
