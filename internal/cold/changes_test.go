package cold_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestChanges: the newest commits of a file, with the files that they changed and deleted, under present names; a
// sweep is none of them. Together counts the same.
func TestChanges(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d, err := cold.Open(t.Context(), t.TempDir()+"/aoa.db", cold.Options{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n := 0
	commit := func(text string, gone []event.Path, files ...event.Path) event.Event {
		n++
		at = at.Add(time.Hour)
		return event.Event{ID: fmt.Sprintf("commit:%040d", n), Time: at,
			Body: event.Commit{Text: text, Paths: files, Gone: gone}}
	}
	events := []event.Event{commit("begin", nil, "old.go", "b.go"), commit("gofmt", nil, "old.go", "b.go", "c.go", "d.go",
		"e.go"),
		commit("more", []event.Path{"dead.go"}, "old.go")}
	at = at.Add(time.Hour)
	events = append(events, event.Event{ID: "rename:1", Time: at,
		Body: event.Rename{From: []event.Path{"old.go"}, To: []event.Path{"a.go"}}})
	events = append(events, commit("move", nil, "a.go"), commit("other", nil, "b.go"), commit("both", nil, "a.go", "b.go"))
	if _, _, err := d.Append(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	files := func(most int) (out [][]event.Path) {
		got, err := d.Changes(t.Context(), "a.go", most)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range got {
			if i > 0 && !c.Time.Before(got[i-1].Time) {
				t.Errorf("%v is not older than %v", c.Time, got[i-1].Time)
			}
			out = append(out, c.Files)
		}
		return out
	}
	all := [][]event.Path{{"b.go", "a.go"}, {"a.go"}, {"a.go", "dead.go"}, {"b.go", "a.go"}}
	sorted := cmp.Transformer("set", func(in []event.Path) map[event.Path]bool {
		out := map[event.Path]bool{}
		for _, p := range in {
			out[p] = true
		}
		return out
	})
	if d := cmp.Diff(all, files(10), sorted); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(all[:2], files(2), sorted); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if both, of, err := d.Together(t.Context(), "a.go", "b.go"); err != nil || both != 2 || of != 4 {
		t.Errorf("Together counts %d of %d, %v", both, of, err)
	}
	if got, err := d.Changes(t.Context(), "never.go", 10); err != nil || len(got) != 0 {
		t.Errorf("an unknown file: %v, %v", got, err)
	}
}
