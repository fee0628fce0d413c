package hooks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestNamedInPrompts compares the files that prompts name with testdata/named.golden; -update
// writes it.
func TestNamedInPrompts(t *testing.T) {
	var b strings.Builder
	for _, prompt := range []string{
		"fix pick/picker.go and its test picker_test.go",
		"look at `web/server.go:12:3`, (store/basket.go) and \"docs/a guide.md\"",
		"why does Makefile not build main.go?",
		"the index.ts of pkg/a, not web/index.ts",
		"index.ts is ambiguous",
		"@README.md and @pick/picker.go#L3-9",
		"see HEAD:go.mod and a/db/migrations/001_init.sql",
		"diff --git a/web/server.go b/web/server.go",
		"/home/dev/orchard/store/basket.go and /home/dev/orchard-pear/pick/picker.go and /etc/passwd",
		`C:\dev\orchard\web\index.ts and web\server.go`,
		"https://example.com/pick/picker.go is a link",
		"node_modules/x/README.md and vendor/y/server.go",
		"change web/app/[id]/page.tsx.",
		"update the readme and the server and picker",
		"orchard/cmd/orchard/main.go",
		"./scripts/gen.sh --out data/fruit.json",
		"Fix fruit.json, yield.ipynb; then old.md!",
		"x=web/index.ts,pick/picker.go|store/basket.go",
		"nothing at all is named here.",
		"go.mod",
		"picker.go picker.go picker.go",
		"what about basket.go:88 and basket_test.go:3:1?",
	} {
		payload, err := json.Marshal(map[string]string{"hook_event_name": "UserPromptSubmit", "session_id": "s",
			"cwd": orchardRoot, "prompt": prompt})
		fault.Check(t, err)
		call, err := Decode("claude", nil, payload, orchard())
		fault.Check(t, err)
		fmt.Fprintf(&b, "%s\n", prompt)
		for _, e := range call.Events {
			fmt.Fprintf(&b, "\tnamed %q seen %q\n", e.Named(), e.Seen())
		}
	}
	fault.Golden(t, "testdata/named.golden", b.String())
}
