package cold

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestThread: one sequence over all sessions, in the order of the log, from where one had stopped.
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
	all, err := d.Thread(t.Context(), "a", 0, 0, 10)
	must(t, err)
	if len(all) != 3 || all[0].Text() != "do 0" || all[2].Text() != "do 4" || all[0].Seq >= all[1].Seq ||
		all[1].Seq >= all[2].Seq {
		t.Fatalf("the thread is %+v", all)
	}
	if newest, err := d.Thread(t.Context(), "a", 0, 0, 2); err != nil || len(newest) != 2 || newest[0].Seq != all[1].Seq {
		t.Errorf("the newest two are %+v, %v", newest, err)
	}
	if rest, err := d.Thread(t.Context(), "a", all[1].Seq, all[1].Seq, 10); err != nil || len(rest) != 1 ||
		rest[0].Seq != all[2].Seq {
		t.Errorf("after the second: %+v, %v", rest, err)
	}
	if older, err := d.Thread(t.Context(), "a", all[2].Seq, all[0].Seq, 10); err != nil || len(older) != 2 ||
		older[0].Seq != all[1].Seq {
		t.Errorf("the later prompts of what is shown are %+v, %v", older, err)
	}
	if none, err := d.Thread(t.Context(), "", 0, 0, 10); err != nil || len(none) != 0 {
		t.Errorf("no session has %+v, %v", none, err)
	}
	if prompts, err := d.Prompts(t.Context(), all[0].Seq, 10); err != nil || len(prompts) != 2 ||
		prompts[1].Text() != "do 4" {
		t.Errorf("later prompts are %+v, %v", prompts, err)
	}
}
