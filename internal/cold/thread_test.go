package cold

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestThread: one sequence over all sessions, in the order of the log.
func TestThread(t *testing.T) {
	d := newTest(t)
	var events []event.Event
	for i := range 6 {
		e := event.Event{ID: fmt.Sprint("e", i), Time: noon.Add(time.Duration(-i) * time.Second), Session: "a",
			Body: event.Prompt{Text: fmt.Sprint("do ", i)}}
		if i%2 == 1 {
			e.Session = "b"
			e.Body = event.Call{Act: event.ActRun, Text: e.Text()}
		}
		events = append(events, e)
	}
	events = append(events, event.Event{ID: "s", Time: noon, Session: "a", Body: event.Hint{}})
	mustAppend(t, d, events...)
	all, err := d.Thread(t.Context(), "a", 10)
	fault.Check(t, err)
	if len(all) != 3 || all[0].Text() != "do 0" || all[2].Text() != "do 4" || all[0].Seq >= all[1].Seq ||
		all[1].Seq >= all[2].Seq {
		t.Fatalf("the thread is %+v", all)
	}
	if newest, err := d.Thread(t.Context(), "a", 2); err != nil || len(newest) != 2 || newest[0].Seq != all[1].Seq {
		t.Errorf("the newest two are %+v, %v", newest, err)
	}
	if none, err := d.Thread(t.Context(), "", 10); err != nil || len(none) != 0 {
		t.Errorf("no session has %+v, %v", none, err)
	}
	if prompts, err := d.Prompts(t.Context(), all[0].Seq, 10); err != nil || len(prompts) != 2 ||
		prompts[1].Text() != "do 4" {
		t.Errorf("later prompts are %+v, %v", prompts, err)
	}
}
