package event

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestUnknownKind: an event of a kind that this program does not know is refused, as is one whose
// fields say another.
func TestUnknownKind(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"1","kind":"later"}`:                              `unknown kind of event "later"`,
		`{"id":"1","kind":"read","act":"edit"}`:                  `has the fields of kind "edit"`,
		`{"id":"1","kind":"read","failure":"missing"}`:           `has the fields of kind "failed"`,
		`{"id":"1","kind":"run","act":"run","failure":"status"}`: "", `{"id":"1"}`: "",
	} {
		var e Event
		err := json.Unmarshal([]byte(text), &e)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

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

// TestLower lowers ASCII letters at the edges of the alphabet, and nothing else.
func TestLower(t *testing.T) {
	for in, want := range map[string]string{"AZaz": "azaz", "A@[`{Z\x1f": "a@[`{z\x1f", "Äb": "Äb", "abc": "abc", "xY": "xy", "": ""} {
		fault.Same(t, in, Lower(in), want)
	}
}

// TestTogether: counts are said of the last 50 commits only where there are more.
func TestTogether(t *testing.T) {
	for want, x := range map[string]Together{"5 of 6 commits": {Both: 5, Of: 6, Recent: 5, OfRecent: 6},
		"5 of 51 commits, 4 of the last 50": {Both: 5, Of: 51, Recent: 4, OfRecent: 50}} {
		fault.Same(t, want, x.String(), want)
	}
}

// TestDir: the folder of a path ends before its last slash, also where the path begins with it.
func TestDir(t *testing.T) {
	for p, want := range map[Path]Path{"a/b/c.go": "a/b", "a.go": "", "/a.go": "", "a/": "a"} {
		fault.Same(t, string(p), Path(p.Dir()), want)
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
