package team

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestWhatTravels: texts, results, hashes, commands and what concerns one clone alone stay.
func TestWhatTravels(t *testing.T) {
	origin, secret := rand.Text(), "secret"
	whole := event.Event{ID: "1", Time: time.UnixMilli(5), Agent: "claude", Session: "s", Turn: secret}
	body := func(k event.Kind) event.Body {
		return eventtest.Fill(k, eventtest.Fields{"Paths": []event.Path{"a.go"}, "Tags": []string{"go"}, "Text": secret,
			"Terms": []string{secret}, "Seen": []event.Path{"secret"}, "Named": []event.Path{"secret"}, "Blob": secret})
	}
	for kind, words := range map[event.Kind]bool{event.KindPrompt: true, event.KindSearch: true, event.KindRead: false,
		event.KindRun: false, event.KindEdit: false, event.KindFailed: false, event.KindFeedback: false} {
		for _, may := range []bool{false, true} {
			e := whole
			e.Body = body(kind)
			raw, ok := encode(e, origin, may)
			if !ok {
				t.Fatalf("%s does not travel", kind)
			}
			if got := strings.Contains(string(raw), secret); got != (words && may) {
				t.Errorf("%s, words %v: %s", kind, may, raw)
			}
		}
	}
	for _, kind := range []event.Kind{event.KindSave, event.KindCommit, event.KindUncommit, event.KindRename,
		event.KindDelete, event.KindCheckout, event.KindStart, event.KindEnd, event.KindTick, event.KindSetting} {
		e := whole
		e.Body = body(kind)
		if _, ok := encode(e, origin, true); ok {
			t.Errorf("%s travels", kind)
		}
	}
	e := whole
	e.Body = event.Hint{Name: "partner", Paths: []event.Path{"a.go"}, Scores: []float64{.7}}
	raw, _ := encode(e, origin, true)
	got, _, _, err := decode(string(raw), e.Time)
	fault.Check(t, err)
	fault.Same(t, "a hint", got.Body, e.Body)
	e.Origin = rand.Text()
	e.Body = body(event.KindRead)
	if _, ok := encode(e, origin, true); ok {
		t.Error("an event of another clone travels")
	}
}

// TestFilter: a filter means what it names, of folders all below, and nothing that happened later.
func TestFilter(t *testing.T) {
	origin := rand.Text()
	e := event.Event{Origin: origin, Session: origin + "/s", Time: time.UnixMilli(10),
		Body: event.Call{Act: event.ActRead, Paths: []event.Path{"x.go", "in/side/c.go"}}}
	file := func(p event.Path, until int64) Filter { return NewFilter(p, "", time.Time{}, time.UnixMilli(until)) }
	session := func(id string) Filter { return NewFilter("", id, time.Time{}, time.UnixMilli(10)) }
	since := func(at, until int64) Filter { return NewFilter("", "", time.UnixMilli(at), time.UnixMilli(until)) }
	for f, want := range map[Filter]bool{file("in", 10): true, file("in/side/c.go", 10): true, file("in", 9): false,
		file("i", 10): false, session("s"): true, session("t"): false, since(10, 10): true, since(11, 20): false,
		{Until: 20}: false} {
		fault.Same(t, fmt.Sprintf("%+v means it", f), f.means(e), want)
	}
}

// FuzzDecode: what is taken is of its origin, inside the repository, of a kind that travels, and
// travels on unchanged.
func FuzzDecode(f *testing.F) {
	origin := rand.Text()
	raw, _ := encode(event.Event{ID: "1", Time: time.UnixMilli(5), Session: "s",
		Body: event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}}, origin, true)
	f.Add(string(raw))
	f.Add(`{"v":1,"origin":"` + origin + `","id":"1","forget":{"until":1}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		e, forget, from, err := decode(raw, time.UnixMilli(1000))
		if err != nil || forget != nil {
			return
		}
		if !travels[e.Kind()] || !strings.HasPrefix(e.ID, from+":") || e.Session != "" && !event.Foreign(e.Session) ||
			len(from) != 26 || e.Time.After(time.UnixMilli(1000).Add(maxAhead)) {
			t.Fatalf("%q is %+v", raw, e)
		}
		for _, p := range e.Paths() {
			if q, err := event.NewPath(string(p)); err != nil || q != p {
				t.Fatalf("%q has the path %q", raw, p)
			}
		}
		again := e.Normalize(time.Now())
		body, err := json.Marshal(again)
		var back event.Event
		if err != nil || json.Unmarshal(body, &back) != nil || len(again.Paths())+len(again.Tags())+len(again.Terms()) > 0 &&
			!reflect.DeepEqual(back.Paths(), again.Paths()) {
			t.Fatalf("%q is kept as %s", raw, body)
		}
	})
}
