package rank

import (
	"runtime"
	"testing"
	"weak"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFitsHoldOneTree: fits are computed once in each state of the files, and keep no tree of an
// earlier state.
func TestFitsHoldOneTree(t *testing.T) {
	var c fitCache
	found := 0
	get := func(tree *index.Tree, text string) {
		c.get(&queryContext{tree: tree}, text, func() []TextFit { found++; return []TextFit{} })
	}
	old := index.NewTree([]event.Path{"a.go"})
	pinned := weak.Make(old)
	for range 2 {
		get(old, "one")
		get(old, "two")
	}
	fault.Same(t, "computed", found, 2)
	old.Add("b.go")
	get(old, "one")
	fault.Same(t, "computed after a file was added", found, 3)
	now := index.NewTree([]event.Path{"a.go"})
	get(now, "one")
	fault.Same(t, "computed after a commit", found, 4)
	old = nil
	runtime.GC()
	if pinned.Value() != nil {
		t.Error("the tree of before the commit is still in memory")
	}
	runtime.KeepAlive(&c)
}
