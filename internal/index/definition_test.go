package index

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestDefinitionFor: the definition that a text speaks of, with its type and line; none where the
// text speaks of none.
func TestDefinitionFor(t *testing.T) {
	c := NewContents()
	for _, p := range []event.Path{"ctx.py", "load.go", "app.ts", "notes.md", "a.py"} {
		c.Set(p, []byte("text"))
	}
	for _, tt := range []struct {
		file, program, text, want string
		line                      int
	}{
		{"ctx.py", "import a\n\nclass AppContext:\n    def push(self):\n        value = 1\n\n    def pop(self, exc):\n        pass\n\nclass RequestContext:\n    def pop(self):\n        pass\n",
			"AppContext.pop() loses the exception", "AppContext.pop", 7},
		{"ctx.py", "class AppContext:\n    def pop(self): pass\nclass RequestContext:\n    def pop(self): pass\n",
			"pop of the request context", "RequestContext.pop", 4},
		{"load.go", "package config\n\ntype Loader struct {\n\tname string\n}\n\nfunc (l *Loader) readAll() {}\n\nfunc parseConfig() {}\n",
			"parseConfig fails on an empty file", "parseConfig", 9},
		{"load.go", "package config\n\ntype Loader struct{}\n\nfunc (l *Loader) readAll() {}\n", "make readAll faster", "Loader.readAll", 5},
		{"app.ts", "export class Cart {\n  addItem(x: Item) {\n    const total = 1\n  }\n}\n", "adding an item to the cart twice", "Cart.addItem", 2},
		{"load.go", "package config\n\nfunc parseConfig() {}\n", "the build is slow", "", 0},
		{"load.go", "package config\n\nfunc Load() {}\n", "the pages load slowly", "", 0},
		{"notes.md", "# parseConfig\n", "parseConfig fails", "", 0},
	} {
		d, ok := c.DefinitionFor(event.Path(tt.file), []byte(tt.program), ParseText(tt.text))
		if d.Name != tt.want || d.Line != tt.line || ok != (tt.line > 0) {
			t.Errorf("%q: %+v, want %s in line %d", tt.text, d, tt.want, tt.line)
		}
	}
	if d, ok := DefinitionOf("a.py", []byte("class Bag:\n    def load_all(self): pass\n"), "loadall"); !ok || d != (Definition{2, "Bag.load_all"}) {
		t.Errorf("by name: %+v", d)
	}
	if d, ok := DefinitionOf("a.py", []byte("def ab(): pass\n"), "ab"); !ok || d.Line != 1 {
		t.Errorf("of two letters: %+v, %v", d, ok)
	}
	many := ""
	for i := range 2001 {
		many += fmt.Sprintf("def name%d(): pass\n", i)
	}
	for name, want := range map[string]bool{"name1999": true, "name2000": false} {
		if _, ok := DefinitionOf("a.py", []byte(many), name); ok != want {
			t.Errorf("%s of 2,001 is found: %v", name, ok)
		}
	}
}

// TestAnnotations: what stands before a definition is taken off.
func TestAnnotations(t *testing.T) {
	for line, want := range map[string]string{"@A class B": " class B", "@A(x) fun b": " fun b", "[Fact] void F": " void F",
		"#[test] fn f": " fn f", "@interface X": "interface X", "[open": "[open", "#define X": "#define X", "@": "@", "#": "#", "[]": "", "f": "f"} {
		if got := string(withoutAnnotations([]byte(line))); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// TestImportsGolden compares what the programs of testdata/imports.txt import, and which of its
// files that means, with a golden file, so that no rule of a language changes unseen.
func TestImportsGolden(t *testing.T) {
	raw := fault.Must(os.ReadFile("testdata/imports.txt"))
	tree, texts := NewTree(nil), map[event.Path]string{}
	for part := range strings.SplitSeq("\n"+string(raw), "\n-- ") {
		if name, text, found := strings.Cut(part, " --"); found {
			tree.Add(event.Path(name))
			texts[event.Path(name)] = strings.TrimPrefix(text, "\n") + "\n"
		}
	}
	var b strings.Builder
	for _, root := range []string{"example.com/shop", ""} {
		all := files{tree: tree, root: func() string { return root }}
		for _, p := range slices.Sorted(maps.Keys(texts)) {
			lang := languageOf(p)
			if lang == nil || root == "" && p.Ext() != ".go" {
				continue
			}
			for _, i := range importsIn(lang, []byte(texts[p])) {
				fmt.Fprintf(&b, "%s:%d %q", p, i.line, i.module)
				for _, n := range i.names {
					fmt.Fprintf(&b, " %s=%s@%d", n.local, n.name, n.line)
				}
				targets := all.targetsOf(p, lang, i.module)
				slices.Sort(targets)
				fmt.Fprintf(&b, " all %v keys %q → %v\n", i.all, i.keys(lang), targets)
			}
		}
	}
	fault.Golden(t, "testdata/imports.golden", b.String())
}
