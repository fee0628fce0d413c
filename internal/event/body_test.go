package event

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
