package index

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestWordIsRefilled: files for which the list of a word had no place are found when others have
// gone.
func TestWordIsRefilled(t *testing.T) {
	var paths []event.Path
	for i := range 300 {
		paths = append(paths, event.Path(fmt.Sprintf("orders/%03d.go", i)))
	}
	for left := range 150 {
		tree := NewTree(paths)
		tree.Word("order")
		tree.Remove(paths[:100]...)
		tree.Remove(paths[100 : 300-left]...)
		if n := len(tree.Word("order")); n != left {
			t.Fatalf("of %d files that are left the word finds %d", left, n)
		}
	}
}

// TestNamed: the files that a text names, for the ranking and for what hooks log.
// TestAbs: names of either form become absolute and clean.
func TestAbs(t *testing.T) {
	l := Locator{Cwd: "/repo"}
	for name, want := range map[string]string{`a\b.go`: "/repo/a/b.go", "a/../b.go": "/repo/b.go", "/x//y.go": "/x/y.go", `C:\x\y.go`: "C:/x/y.go",
		"": "", "a\x00": ""} {
		fault.Same(t, name, l.Abs(name, ""), want)
	}
	fault.Same(t, "in another folder", l.Abs("a.go", "/other"), "/other/a.go")
	fault.Same(t, "without a folder", (&Locator{}).Abs("a.go", ""), "")
}

func TestNamed(t *testing.T) {
	tree := NewTree(eventtest.Paths([]string{"Makefile", "README.md", "go.mod", "pick/picker.go", "pick/picker_test.go",
		"store/basket.go",
		"web/server.go", "web/index.ts", "pkg/a/index.ts", "docs/a guide.md", "cmd/orchard/main.go"}))
	for text, want := range map[string]string{
		"fix pick/picker.go and its test picker_test.go":                      "[pick/picker.go pick/picker_test.go]",
		"look at `web/server.go:12:3`, (store/basket.go) and docs/a guide.md": "[web/server.go store/basket.go]",
		"why does Makefile not build main.go?":                                "[Makefile cmd/orchard/main.go]",
		"index.ts is ambiguous, web/index.ts is not":                          "[web/index.ts]",
		"@README.md, @pick/picker.go#L3 and HEAD:go.mod":                      "[README.md pick/picker.go go.mod]",
		"a/web/server.go b/go.mod ./Makefile":                                 "[web/server.go go.mod Makefile]",
		"/home/me/repo/store/basket.go picker.go picker.go.":                  "[store/basket.go pick/picker.go]",
		`web\server.go {go.mod}`:                                              "[web/server.go go.mod]",
		"https://example.com/pick/picker.go and node_modules/x/README.md":     "[]",
		"see `basket.go:12` (and \"README.md\")":                              "[store/basket.go README.md]",
		"":                                                                    "[]",
		"main server picker":                                                  "[]",
	} {
		fault.Same(t, text, fmt.Sprint(tree.Named(text)), want)
	}
}
