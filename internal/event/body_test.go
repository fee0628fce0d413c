package event

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestCalls: what a call did decides its kind, and its lines are written as people write them.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		call  Call
		kind  Kind
		ok    bool
		lines string
	}{
		{Call{Act: ActRead}, KindRead, true, ""}, {Call{Act: ActRead, Offset: 1}, KindRead, true, ""},
		{Call{Act: ActRead, Offset: 2}, KindRead, true, "2-"}, {Call{Act: ActRead, Offset: 40, Limit: 81}, KindRead, true, "40-120"},
		{Call{Act: ActRead, Limit: 1}, KindRead, true, "1-1"}, {Call{Act: ActList}, KindSearch, true, ""},
		{Call{Act: ActSearch}, KindSearch, true, ""}, {Call{Act: ActOther}, KindRun, true, ""},
		{Call{Act: ActRun, Failure: FailStatus}, KindRun, false, ""}, {Call{Act: ActRun, Failure: FailUnknown}, KindRun, true, ""},
		{Call{Act: ActEdit, Failure: FailNoMatch}, KindFailed, false, ""}, {Call{Act: ActWrite}, KindWrite, true, ""},
	} {
		if c.call.Kind() != c.kind || c.call.OK() != c.ok || c.call.Lines() != c.lines {
			t.Errorf("%+v: %s, %v, lines %q", c.call, c.call.Kind(), c.call.OK(), c.call.Lines())
		}
	}
	for a, want := range map[Act]bool{ActRead: true, ActSearch: true, ActList: true, ActRun: false, ActEdit: false, ActWrite: false} {
		fault.Same(t, string(a)+" changes nothing", a.ReadOnly(), want)
	}
}

// TestTogether: counts are said of the last 50 commits only where there are more.
func TestTogether(t *testing.T) {
	for want, x := range map[string]Together{"5 of 6 commits": {Both: 5, Of: 6, Recent: 5, OfRecent: 6},
		"5 of 51 commits, 4 of the last 50": {Both: 5, Of: 51, Recent: 4, OfRecent: 50}} {
		fault.Same(t, want, x.String(), want)
	}
}

// FuzzJSON: what can be read is written and read the same, and says its kind.
func FuzzJSON(f *testing.F) {
	for _, k := range Kinds() {
		raw, err := json.Marshal(Event{ID: "1", Time: time.UnixMilli(5).UTC(), Session: "s", Body: NewBody(k)})
		if err != nil || !strings.Contains(string(raw), `"kind":"`+string(k)+`"`) {
			f.Fatalf("%s: %s, %v", k, raw, err)
		}
		f.Add(string(raw))
	}
	f.Add(`{"id":"1","kind":"read","act":"edit","paths":["a.go"],"failure":"status"}`)
	f.Add(`{"id":"1","kind":"later"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var e, again Event
		if json.Unmarshal([]byte(text), &e) != nil {
			return
		}
		raw, err := json.Marshal(e)
		if err != nil {
			return // a time that JSON has no form for
		}
		if err := json.Unmarshal(raw, &again); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		second, err := json.Marshal(again)
		if err != nil || !reflect.DeepEqual(raw, second) {
			t.Fatalf("%s\nbecame %s, %v", raw, second, err)
		}
	})
}
