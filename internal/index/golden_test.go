package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// texts are prompts, commands, code and damaged input.
var texts = []string{
	"fix the TCPServer in parse_config.go",
	"Why does loginTimeout fail? See LoginTimeouts, MAX_LOGIN_TIMEOUTS and the 42 others.",
	"testing the tests, tested twice; stories about classes, statuses and buses",
	"don't change HTTPServer2 or utf8Decoder, let's rename XMLHttpRequest",
	"naïve Größe löscht Änderungen; 日本語のテスト and кошки",
	"go test ./internal/cold -run 'TestForget|TestReplay' -count=1",
	"grep -rn \"func (s *Store) Open\" --include=*.go .",
	"\xff\xfe broken \xc3 bytes äöü_Name",
	"a bb ccc dddd 1234 0x1F deadbeef v2Token base64Key",
	"the and for with that this from have has was",
	strings.Repeat("supercalifragilisticexpialidocious ", 2) + "running sing red bed needed flies dies pass gas us bus",
	"CONSTANT_NAME kebab-case snake_case_name dotted.name.here slash/separated/path camelCaseName PascalCaseName ALLCAPSWord",
	"func (r *Reader) ReadAll(ctx context.Context, max int) ([]byte, error) { return nil, nil }",
	"",
	"   \t\n",
}

// issues are texts with files, names and traces, as people report them.
var issues = []string{
	"web: upload fails (e.g. i.e. etc.)\n\nself.client.send and this.state.value, a::b::Cart, obj->method(), Foo#bar, and/or HEAD:lib/a.rb main:x.proto see v.zig, x.log, .env, a.md, b.r, config.yaml, logo.png",
	"`parse-config` drops --dry-run and -v\n\n    indented := code()\n\tand.more(x)\n   three spaces.only here\nsee @decorator, $variable, %format, <Tag>, don't_do_it, __init__, x, ab, ABC, A1, 1a, 0x1F",
	"Traceback (most recent call last):\n  File \"a/b.py\", line 3, in main\n" + strings.Repeat("noise\n", 39) + "  File \"c/d.py\", line 4, in run\n" +
		strings.Repeat("noise\n", 41) + "  File \"e/f.py\", line 4, in end\n",
	"~~~\ncode.fence(one)\n~~~\n> quoted words\n- [ ] a task\n1. first item\n| table | cells |\n**bold** _italic_ ~~gone~~ [link](docs/x.md#part) ![image](a.png)",
	"release 1.2.3: cache.go:12:3, ./cmd/run.go, ../up.go, C:\\win\\path.cs, https://example.com/o/r/blob/main/lib/a.go#L3-L9, https://example.com/x.go, user@host.com, a.b.c.d, 10.0.0.1",
}

func TestGoldenTerms(t *testing.T) {
	var b strings.Builder
	for _, s := range texts {
		fmt.Fprintf(&b, "%q\n\tterms       %q\n\tfirst three %q\n\tidentifiers %q\n\ttokens      %d\n",
			s, index.Terms(s, 64), index.Terms(s, 3), index.Identifiers(s, 16), index.Tokens(s))
	}
	for _, s := range append(slices.Clone(texts), issues...) {
		p := index.ParseText(s)
		fmt.Fprintf(&b, "%.60q\n\ttitle %v\n\tbody %v\n\tidentifiers %q, of the title %q\n\tframes %q dotted %q paths %q\n\t%d words, %d pairs\n",
			s, p.Title, p.Body, p.Identifiers, p.TitleIdentifiers, p.Frames, p.Dotted, p.Paths, p.Words, len(p.Pairs))
	}
	for _, p := range []event.Path{"cmd/aoa/main_test.go", "web/src/UserProfilePage.spec.tsx", "docs/README",
		".github/workflows/ci.yml", "a/.env",
		"internal/HTTPServer/routes.go", "deep/" + event.Path(strings.Repeat("folderName1/otherFolder/", 14)) + "x.go"} {
		fmt.Fprintf(&b, "%s\n\tpath terms  %q\n", p, index.PathTerms(p))
	}
	fault.Golden(t, "testdata/terms.golden", b.String())
}
