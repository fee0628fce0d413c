package cold_test

import (
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestRenamed(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d, err := cold.Open(t.Context(), t.TempDir()+"/aoa.db", cold.Options{Now: func() time.Time { return at }})
	fault.Check(t, err)
	defer d.Close()
	rename := func(id string, from, to event.Path) event.Event {
		at = at.Add(time.Hour)
		return event.Event{ID: id, Time: at, Body: event.Rename{From: []event.Path{from}, To: []event.Path{to}}}
	}
	if _, _, err := d.Append(t.Context(),
		[]event.Event{rename("1", "a.go", "b.go"), rename("2", "b.go", "c.go"), rename("3", "x.go", "y.go"),
			rename("4", "y.go", "x.go"), rename("5", "app.py", "src/app.py"), rename("6", "src/app.py", "src/sans/app.py"),
			rename("7", "one.go", "two.go"), rename("8", "two.go", "gone.go")}); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[event.Path]event.Path{"a.go": "c.go", "b.go": "c.go", "c.go": "", "x.go": "",
		"never.go": "", "app.py": "src/app.py", "src/app.py": "src/sans/app.py", "one.go": ""} {
		got, ok, err := d.Renamed(t.Context(), from, func(p event.Path) bool { return p != "b.go" && p != "y.go" && p != "two.go" && p != "gone.go" })
		if err != nil || got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, %v; want %q", from, got, ok, err, want)
		}
	}
}
