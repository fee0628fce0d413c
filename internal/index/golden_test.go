package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/fault"
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

func TestGoldenTerms(t *testing.T) {
	var b strings.Builder
	for _, s := range texts {
		fmt.Fprintf(&b, "%q\n\tterms       %q\n\tfirst three %q\n\tidentifiers %q\n\ttokens      %d\n",
			s, index.Terms(s, 64), index.Terms(s, 3), index.Identifiers(s, 16), index.Tokens(s))
	}
	for _, p := range []event.Path{"cmd/aoa/main_test.go", "web/src/UserProfilePage.spec.tsx", "docs/README",
		".github/workflows/ci.yml", "a/.env",
		"internal/HTTPServer/routes.go", "deep/" + event.Path(strings.Repeat("folderName1/otherFolder/", 14)) + "x.go"} {
		fmt.Fprintf(&b, "%s\n\tpath terms  %q\n", p, index.PathTerms(p))
	}
	fault.Golden(t, "testdata/terms.golden", b.String())
}
