package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestARetiredKindIsAnnounced: a kind that fell silent by itself is named in aoa status and aoa stats kinds, with the
// evidence and the command that brings it back; and that command does.
func TestARetiredKindIsAnnounced(t *testing.T) {
	d := initialized(t, 8)
	if s := d.do("status"); s.code != 0 || strings.Contains(s.err, "retired") {
		t.Fatalf("before: exit %d, %s", s.code, s.err)
	}
	var events []event.Event
	now := time.Now().Add(-time.Hour)
	for i := range 300 {
		at, id, arm := now.Add(time.Duration(i)*time.Second), fmt.Sprint("guess", i), "shown"
		if i%4 == 0 {
			arm = "withheld"
		}
		e := event.Event{ID: id, Time: at, Agent: "test", Session: fmt.Sprint("s", i), Body: event.Hint{Name: "next", Arm: arm,
			Label: "next", Paths: []event.Path{"README.md"}, Scores: []float64{.9}}}
		ended := e
		ended.ID, ended.Body = "end"+id, event.End{}
		events = append(events, e, ended)
	}
	mustCall(d, api.Events, events)
	d.until("the kind has retired", func() bool { return len(d.status().Retired) == 1 })
	for _, args := range [][]string{{"status"}, {"stats", "kinds"}} {
		s := d.do(args...)
		for _, want := range []string{"next has retired itself", "lift +0.00", "aoa config kinds ", ",next"} {
			if s.code != 0 || !strings.Contains(s.err, want) {
				t.Errorf("aoa %v does not say %q: exit %d, %s", args, want, s.code, s.err)
			}
		}
	}
	if s := d.do("config", "kinds", "prompt,next"); s.code != 0 || !strings.Contains(s.err, "is shown again") {
		t.Errorf("config: exit %d, %s", s.code, s.err)
	}
	if s := d.do("status"); s.code != 0 || strings.Contains(s.err, "retired") {
		t.Errorf("after: exit %d, %s", s.code, s.err)
	}
}
