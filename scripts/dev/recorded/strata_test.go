package recorded

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// story makes a source of one session over a repository of four files.
func story(events ...event.Event) Source {
	s := Source{Source: eval.Source{Name: "story", Commits: []event.Event{{ID: "commit:1", Time: noon.Add(-time.Hour),
		Body: event.Commit{Paths: []event.Path{"a.go", "a_test.go", "b.go", "docs/c.md"}}}}}}
	session := Session{ID: "one"}
	for i, e := range events {
		e.ID, e.Session, e.Time = fmt.Sprint(i), "one", noon.Add(time.Duration(i)*time.Second)
		session.Events = append(session.Events, e)
	}
	s.Sessions = []Session{session}
	return s
}

func asks(text string, named ...event.Path) event.Event {
	return event.Event{Body: event.Prompt{Text: text, Named: named}}
}
func reads(batch string, p event.Path) event.Event {
	return event.Event{Body: event.Call{Act: event.ActRead, Batch: batch, Paths: []event.Path{p}}}
}
func lists(batch string, seen ...event.Path) event.Event {
	return event.Event{Body: event.Call{Act: event.ActSearch, Batch: batch, Seen: seen, Listing: true}}
}

// TestStrata: what an open counts as, and what its prompt was to predict.
func TestStrata(t *testing.T) {
	failed := reads("1", "a.go")
	eventtest.Set(&failed, "Failure", event.FailOther)
	runs := event.Event{Body: event.Call{Act: event.ActRun, Batch: "1", Named: []event.Path{"a.go"}}}
	helper := reads("2", "b.go")
	helper.Subagent = "sub"
	for _, c := range []struct {
		name   string
		events []event.Event
		want   string // file stratum after: of each open, and the turn of each prompt
	}{
		{"nothing had named it", []event.Event{asks("go"), reads("1", "a.go")}, "a.go unseen turn[a.go]"},
		{"listed before", []event.Event{asks("go"), lists("1", "a.go"), reads("2", "a.go")}, "a.go seen turn[a.go]"},
		{"listed by the same batch", []event.Event{asks("go"), lists("1", "a.go"), reads("1", "a.go")},
			"a.go unseen turn[a.go]"},
		{"named by the prompt", []event.Event{asks("look at a.go"), reads("1", "a.go"), reads("2", "b.go")},
			"a.go named b.go unseen turn[b.go]"},
		{"named by a command", []event.Event{asks("go"), runs, reads("2", "a.go")}, "a.go named turn[a.go]"},
		{"the command that opens it", []event.Event{asks("go"), runs, reads("1", "a.go")}, "a.go unseen turn[a.go]"},
		{"failed is no open", []event.Event{asks("go"), failed}, ""},
		{"opened again", []event.Event{asks("go"), reads("1", "a.go"), asks("more"), reads("2", "a.go")},
			"a.go unseen turn[a.go]"},
		{"a new file", []event.Event{asks("go"), reads("1", "new.go")}, ""},
		{"a subagent's", []event.Event{asks("go"), reads("1", "a.go"), helper},
			"a.go unseen b.go unseen turn[a.go b.go]"},
		{"two prompts", []event.Event{asks("go"), reads("1", "a.go"), asks("and"), reads("2", "b.go")},
			"a.go unseen b.go unseen turn[a.go] turn[b.go]"},
		{"no prompt at all", []event.Event{reads("1", "a.go")}, "a.go unseen"},
		{"side by side", []event.Event{asks("go"), lists("1", "a.go"), lists("2", "b.go"), reads("1", "b.go"),
			reads("2", "a.go")}, "a.go unseen b.go unseen turn[a.go b.go]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var opens, turns []string
			err := Sessions(t.Context(), story(c.events...), Options{}, func(d *Decision) error {
				for _, o := range d.Next {
					opens = append(opens, string(o.File)+" "+[...]string{"unseen", "seen", "named"}[o.Stratum])
				}
				if len(d.Turn) > 0 {
					slices.Sort(d.Turn)
					turns = append(turns, fmt.Sprint("turn", d.Turn))
				}
				return nil
			})
			fault.Check(t, err)
			slices.Sort(opens)
			got := ""
			for _, word := range slices.Concat(opens, turns) {
				got += " " + word
			}
			if got = trim(got); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func trim(s string) string {
	if s != "" {
		return s[1:]
	}
	return s
}

// TestSecondQuestion: an open is asked for a second time right after the file event before it,
// whatever came between.
func TestSecondQuestion(t *testing.T) {
	var asked []string
	err := Sessions(t.Context(), story(asks("go"), reads("1", "a.go"), lists("2", "b.go"), reads("3", "b.go")),
		Options{}, func(d *Decision) error {
			for _, o := range d.Next {
				asked = append(asked, fmt.Sprint("next ", o.File, " at ", d.Seq))
			}
			for _, o := range d.After {
				asked = append(asked, fmt.Sprint("after ", o.File, " at ", d.Seq))
			}
			return nil
		})
	want := []string{"next a.go at 0", "after b.go at 1", "next b.go at 2"}
	if err != nil || !slices.Equal(asked, want) {
		t.Errorf("asked %q (%v), want %q", asked, err, want)
	}
}
