package recorded

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestRules: what each rule lists, and in which order.
func TestRules(t *testing.T) {
	r := NewRules()
	commit := func(hour int, files ...event.Path) {
		r.Learn(event.Event{Time: noon.Add(time.Duration(hour) * time.Hour), Body: event.Commit{Paths: files}})
	}
	commit(0, "src/a.go", "docs/a.md", "src/gone.go")
	commit(1, "src/a.go", "docs/a.md")
	commit(2, "src/b.go", "top.go")
	commit(3, "top.go")
	commit(4, "top.go")
	r.Learn(event.Event{Time: noon.Add(5 * time.Hour), Body: event.Commit{Gone: []event.Path{"src/gone.go"}}})
	q := r.Question(event.Query{Task: event.TaskChange, Files: []event.Path{"src/a.go"}, At: noon})
	for rule, want := range map[string]string{
		Together: "[docs/a.md]",
		Folder:   "[src/b.go]",
		Frequent: "[top.go docs/a.md src/b.go]",
		Recent:   "[top.go src/b.go docs/a.md]",
	} {
		fault.Same(t, rule, fmt.Sprint(q.List(rule, 5, func(event.Path) bool { return true })), want)
	}
}
