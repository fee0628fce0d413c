package rank

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLabels compares what names of files say with a golden file.
func TestLabels(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, f := range []event.Path{"a/b/c/d/e/f/g/h/i.go", "parse_config.go", "parse_config_test.go", ".gitignore", "go.mod",
		"pkg/__init__.py", "web/index.ts", "web/index.tsx", "web/index.js", "web/index.jsx", "core/mod.rs", "core/lib.rs", "doc.go",
		"Docs/plan.txt", "doc/x.go", "examples/x.go", "example/x.go", "benchmarks/x.go", "benchmark/x.go", "bench/x.go", "tools/x.go",
		"scripts/x.go", "samples/x.go", "demo/x.go", "website/x.go", "src/x.go", "README.md", "Makefile", "logo.png",
		"internal/docs.go"} {
		l := newLabel(f)
		fmt.Fprintf(&b, "%s dir=%q stem=%q words=%q depth=%.4g kind=%v", f, l.dir, l.stem, l.words, l.depth, l.file)
		for _, is := range []struct {
			name string
			it   bool
		}{{"upkeep", l.upkeep}, {"aside", l.aside}, {"document", l.document}, {"test", l.test}} {
			if is.it {
				b.WriteString(" " + is.name)
			}
		}
		b.WriteByte('\n')
	}
	fault.Golden(t, "testdata/labels.txt", b.String())
}

// TestTasks: what a query means that does not say.
func TestTasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q    event.Query
		want event.Task
	}{
		{event.Query{}, event.TaskPrompt},
		{event.Query{Prompt: "x", Session: "s", Files: []event.Path{"a"}}, event.TaskPrompt},
		{event.Query{Files: []event.Path{"a"}}, event.TaskChange},
		{event.Query{Current: "a"}, event.TaskChange},
		{event.Query{Session: "s", Files: []event.Path{"a"}}, event.TaskOpen},
		{event.Query{Session: "s"}, event.TaskOpen},
		{event.Query{Task: event.TaskSearch, Prompt: "x"}, event.TaskSearch},
	} {
		fault.Same(t, fmt.Sprintf("%+v", c.q), TaskOf(c.q), c.want)
	}
}

// TestAsksBranch: only a question that says nothing is about the branch, and only if its commits or
// its name say something.
func TestAsksBranch(t *testing.T) {
	files := event.Branch{Name: "fix/17", Files: []event.Path{"a.go"}}
	named := event.Branch{Name: "feature/login-redirect"}
	for _, c := range []struct {
		q    event.Query
		want bool
	}{
		{event.Query{Branch: files}, true},
		{event.Query{Branch: named}, true},
		{event.Query{}, false},
		{event.Query{Branch: event.Branch{Name: "patch-1"}}, false},
		{event.Query{Branch: event.Branch{Name: "dev"}}, false},
		{event.Query{Branch: named, Prompt: "x"}, false},
		{event.Query{Branch: named, Session: "s"}, false},
		{event.Query{Branch: named, Files: []event.Path{"a.go"}}, false},
		{event.Query{Branch: named, Tags: []string{"fix"}}, false},
		{event.Query{Branch: named, Task: event.TaskChange}, false},
	} {
		fault.Same(t, fmt.Sprintf("%+v", c.q), AsksBranch(c.q), c.want)
	}
}

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
