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

// TestImportsGolden compares what the programs of testdata/imports.txt import, and which of its
// files that means, with a golden file, so that no rule of a language changes unseen.
func TestImportsGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/imports.txt")
	fault.Check(t, err)
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
