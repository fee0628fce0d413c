package rank

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

func TestNamedIn(t *testing.T) {
	tree := index.NewTree(event.Paths([]string{"Makefile", "README.md", "go.mod", "pick/picker.go", "pick/picker_test.go", "store/basket.go",
		"web/server.go", "web/index.ts", "pkg/a/index.ts", "docs/a guide.md", "cmd/orchard/main.go"}))
	for text, want := range map[string]string{
		"fix pick/picker.go and its test picker_test.go":                      "[pick/picker.go pick/picker_test.go]",
		"look at `web/server.go:12:3`, (store/basket.go) and docs/a guide.md": "[web/server.go store/basket.go]",
		"why does Makefile not build main.go?":                                "[cmd/orchard/main.go]",
		"index.ts is ambiguous, web/index.ts is not":                          "[web/index.ts]",
		"@README.md, @pick/picker.go#L3 and HEAD:go.mod":                      "[README.md]",
		"a/web/server.go b/go.mod ./Makefile":                                 "[web/server.go go.mod Makefile]",
		"/home/me/repo/store/basket.go picker.go picker.go.":                  "[store/basket.go pick/picker.go]",
		`web\server.go {go.mod}`:                                              "[web/server.go go.mod]",
		"https://example.com/pick/picker.go and node_modules/x/README.md":     "[pick/picker.go README.md]",
		"main server picker":                                                  "[]",
	} {
		if got := fmt.Sprint(namedIn(text, tree)); got != want {
			t.Errorf("%q names %s, want %s", text, got, want)
		}
	}
}
