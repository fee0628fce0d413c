package index

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestDefinitionFor: testdata/definitions.txt has programs, and the definition in each that a text
// speaks of.
func TestDefinitionFor(t *testing.T) {
	c := NewContents()
	for _, p := range []event.Path{"ctx.py", "load.go", "app.ts", "notes.md", "a.py"} {
		c.Set(p, []byte("text"))
	}
	_, all, _ := strings.Cut(string(fault.Must(os.ReadFile("testdata/definitions.txt"))), "=== ")
	for part := range strings.SplitSeq(all, "\n=== ") {
		head, program, _ := strings.Cut(part, "\n")
		head, want, _ := strings.Cut(head, " => ")
		file, text, _ := strings.Cut(head, ": ")
		d, ok := c.DefinitionFor(event.Path(file), []byte(program+"\n"), ParseText(text))
		fault.Same(t, text, fmt.Sprintf("%s, %d", cmp.Or(d.Name, "-"), d.Line), want)
		fault.Same(t, text+": it speaks of one", ok, d.Line > 0)
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
