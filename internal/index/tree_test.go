package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestTreeWords: the index of words is the same whether it is made at once, path by path, or after files have come
// and gone.
func TestTreeWords(t *testing.T) {
	var paths []event.Path
	for i := range 700 {
		paths = append(paths, event.Path(fmt.Sprintf("services/moduleName%d/HTTPServer/sub_%d/fileName%dServices.go", i%7,
			i%3, i)))
	}
	paths = append(paths, "a.go", "README", "x/x/alpha.alpha", "services/alpha.go", "")
	slices.Sort(paths)
	bulk, single := NewTree(append(paths, paths[3])), NewTree(nil)
	single.Word("")
	for _, p := range paths {
		single.Add(p)
	}
	late := NewTree(append([]event.Path{"zeta/alpha.go"}, paths...))
	late.Remove("zeta/alpha.go")
	if len(single.Word("services")) != 0 || len(single.Word("service")) != maxWordPaths || len(single.Word("alpha")) < 2 {
		t.Fatalf("words of the paths: %d, %d", len(single.Word("service")), len(single.Word("alpha")))
	}
	for w, want := range single.words {
		for name, tree := range map[string]*Tree{"bulk": bulk, "late": late} {
			if got := tree.Word(w); !slices.Equal(got, want) {
				t.Errorf("%s: %q is in %d paths, want %d", name, w, len(got), len(want))
			}
		}
	}
	if len(bulk.words) != len(single.words) || bulk.Len() != len(paths)-1 {
		t.Errorf("%d words of %d files, want %d of %d", len(bulk.words), bulk.Len(), len(single.words), len(paths)-1)
	}
	for _, p := range paths[1:] {
		if !slices.Equal(bulk.Dir(p.Dir()), single.Dir(p.Dir())) ||
			!slices.Equal(bulk.Base(p.Base()), single.Base(p.Base())) ||
			!slices.Equal(bulk.Stem(p), single.Stem(p)) {
			t.Fatalf("%s is not where it was", p)
		}
	}
}

// TestWordIsRefilled: files for which the list of a word had no place are found when others have gone.
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

func TestTree(t *testing.T) {
	tree := NewTree([]event.Path{"rank/rank.go", "rank/rank_test.go", "learn/doc.go", "rank/doc.go", "web/App.spec.ts",
		"web/App.ts"})
	if got := tree.Stem("web/App.ts"); len(got) != 2 {
		t.Errorf("stem partners are %v", got)
	}
	if got := tree.Word("rank"); len(got) != 3 {
		t.Errorf("files with the word rank are %v", got)
	}
	tree.Remove("rank/rank.go", "never.go")
	if tree.Has("rank/rank.go") || tree.Len() != 5 || len(tree.Base("rank.go")) != 0 {
		t.Error("a removed file stays")
	}
	tree.Add("rank/rank.go", "rank/rank.go")
	if !tree.Has("rank/rank.go") || tree.Len() != 6 {
		t.Error("an added file is missing, or there twice")
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
