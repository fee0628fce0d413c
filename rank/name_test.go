package rank

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestLike: for what somebody typed, which of the files match, in which order.
func TestLike(t *testing.T) {
	files := []event.Path{"docs/protocol.md", "docs/server.md", "internal/proto/wire.go", "internal/server/server.go",
		"internal/server/server_test.go", "Makefile", "web/übersicht.ts"}
	for _, c := range []struct {
		typed string
		want  []event.Path
	}{
		// the letters are all there
		{"server.go", []event.Path{"internal/server/server.go", "internal/server/server_test.go"}},
		{"SERVER", []event.Path{"docs/server.md", "internal/server/server.go", "internal/server/server_test.go"}},
		{"proto", []event.Path{"docs/protocol.md", "internal/proto/wire.go"}}, // begins the name, then stands in the path
		{"internal/proto", []event.Path{"internal/proto/wire.go"}},
		{`internal\proto`, []event.Path{"internal/proto/wire.go"}},
		{"@./docs/s", []event.Path{"docs/server.md"}},
		{"srvt", []event.Path{"internal/server/server_test.go"}},
		{"server docs", []event.Path{"docs/server.md"}},
		{"portocol", []event.Path{"docs/protocol.md"}},
		{"protocool", []event.Path{"docs/protocol.md"}},
		{"sevrer", []event.Path{"docs/server.md", "internal/server/server.go", "internal/server/server_test.go"}},
		{"Makfeile", []event.Path{"Makefile"}},
		{"doks/sevrer", []event.Path{}}, // three slips
		{"doks/server", []event.Path{"docs/server.md"}},
		{"ÜBER", []event.Path{"web/übersicht.ts"}},
		{"zz", []event.Path{}},
	} {
		got := []event.Path{}
		for _, n := range Like(c.typed)(files, nil, 9) {
			got = append(got, n.File)
		}
		fault.Same(t, c.typed, got, c.want)
	}
	// Of many files the best few are the same, however few are wanted, and whatever comes first.
	var many []event.Path
	for i := range 60 {
		many = append(many, event.Path(fmt.Sprintf("d%02d/%sserver%d.go", i*37%60, strings.Repeat("x", i%3), i)))
	}
	score := map[event.Path]float64{many[7]: .5, many[31]: .9, many[50]: .1}
	all := Like("server")(many, score, 60)
	for n := 1; n < 20; n++ {
		fault.Same(t, fmt.Sprint("the best ", n), Like("server")(many, score, n), all[:n])
	}
	fault.Same(t, "matches of nothing", len(Like("")(files, nil, 9)), len(files))
}

// TestCompleteLearned: among equal matches the ones that the work points to come first; a better match beats them.
func TestCompleteLearned(t *testing.T) {
	w := newWorld(t)
	var all []event.Path
	for _, d := range strings.Fields("a b c d e f") {
		all = append(all, event.Path(d+"/page.go"), event.Path(d+"/spage.go"))
	}
	w.commit(epoch.AddDate(-1, 0, 0), "begin", all...)
	for i := range 6 {
		w.commit(epoch.Add(-time.Duration(i+2)*time.Hour), "change", "e/page.go", "f/spage.go", "b/page.go")
	}
	w.open("s", epoch.Add(-time.Minute), "b/page.go")
	complete := func(typed string, limit int) []event.Path {
		t.Helper()
		got, err := w.ranker(Options{}).Complete(context.Background(), event.Query{Task: event.TaskOpen, Session: "s",
			At: epoch}, Like(typed), limit)
		fault.Check(t, err)
		return got
	}
	got := complete("page", 20)
	if len(got) != 12 || !slices.Contains(got[:2], "e/page.go") || !slices.Contains(got[:2], "b/page.go") {
		t.Errorf("what is used does not come first: %v", got)
	}
	if !slices.Contains(got[6:8], "b/spage.go") || !slices.Contains(got[6:8], "f/spage.go") {
		t.Errorf("of the names that contain it the one beside the open file and the used one do not come first: %v", got)
	}
	if got := complete("", 3); len(got) != 3 || !slices.Contains(got, "e/page.go") {
		t.Errorf("with nothing typed: %v", got)
	}
	if got := complete("nothing like that", 3); len(got) != 0 {
		t.Errorf("matched %v", got)
	}
}

// TestBegin: a shell completes to the letter, and offers the used first.
func TestBegin(t *testing.T) {
	files := []event.Path{"Docs/a.md", "docs/long name.md", "docs/b.md", "xdocs/b.md"}
	var got []event.Path
	for _, m := range Begin("docs/")(files, map[event.Path]float64{"docs/long name.md": .1}, 9) {
		got = append(got, m.File)
	}
	fault.Same(t, "files", got, []event.Path{"docs/long name.md", "docs/b.md"})
	fault.Same(t, "the beginning of a path", strictly("docs/b", "docs/begin.md", "begin.md"), matchPrefix)
}
