package hint

import (
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestFindWork(t *testing.T) {
	e := func(min int, kind event.Kind, files ...event.Path) event.Event {
		return event.Event{Time: epoch.Add(time.Duration(min) * time.Minute), Body: eventtest.Body(kind, files...)}
	}
	got := findWork([]event.Event{e(1, event.KindRead, "r.go", "e.go"), e(2, event.KindEdit, "e.go"),
		e(3, event.KindWrite, "w.go"), e(4, event.KindRead, "late.go", "gone.go"), e(5, event.KindSearch, "s.go")},
		func(p event.Path) bool { return p != "gone.go" }, epoch.Add(time.Hour))
	var files []event.Path
	for _, s := range got {
		files = append(files, s.File)
	}
	fault.Same(t, "working set", files, []event.Path{"w.go", "e.go", "late.go", "r.go"})
}
