package event_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBodies: of each kind every field is written and read, every list of paths can be changed,
// every list is bounded by Normalize, the accessors of Event return the field of their name, and
// what the log seals is left out for consumers.
func TestBodies(t *testing.T) {
	bounds := map[string]int{"Named": 60, "Seen": 60, "Terms": 32, "Tags": 32, "Failing": 3}
	for _, k := range event.Kinds() {
		e := event.Event{ID: "1", Time: time.UnixMilli(9000).UTC(), Session: "s", Subagent: "a", Turn: "t", Agent: "x",
			Origin: "o", Body: eventtest.Full(k, event.MaxPaths+1)}
		raw, err := json.Marshal(e)
		fault.Check(t, err)
		var read event.Event
		fault.Check(t, json.Unmarshal(raw, &read))
		if !reflect.DeepEqual(read, e) {
			t.Errorf("%s is read as another event", k)
		}
		body, lists := reflect.ValueOf(e.Body), 0
		for i := range body.NumField() {
			if _, paths := body.Field(i).Interface().([]event.Path); paths {
				lists++
			}
		}
		changed, all := e, lists
		changed.ChangePaths(func(list *[]event.Path) {
			if len(*list) > 0 {
				lists--
			}
			*list = []event.Path{"changed.go"}
		})
		raw, err = json.Marshal(changed)
		fault.Check(t, err)
		fault.Same(t, string(k)+": lists that are changed", strings.Count(string(raw), "changed.go"), all)
		fault.Same(t, string(k)+": lists of paths that ChangePaths leaves out", lists, 0)
		e.ChangeText(func(text *string, terms *[]string) { *text = "changed " + *text; *terms = slices.Clone(*terms) })

		normal := reflect.ValueOf(e.Normalize(time.UnixMilli(9000)).Body)
		for i := range normal.NumField() {
			name, n := normal.Type().Field(i).Name, 0
			switch v := normal.Field(i).Interface().(type) {
			case []event.Path:
				n = event.MaxPaths
			case []string:
				if n = bounds[name]; name == "Idents" {
					n = map[bool]int{true: 40, false: 8}[k == event.KindPrompt || k == event.KindStop]
				}
			case string:
				if name == "Text" && len(v) != event.MaxText {
					t.Errorf("%s: a text of %d bytes", k, len(v))
				}
				continue
			default:
				continue
			}
			if b := bounds[name]; b > 0 {
				n = b
			}
			if k == event.KindStop && name == "Terms" {
				n = 64
			}
			fault.Same(t, fmt.Sprintf("%s: entries of %s", k, name), normal.Field(i).Len(), n)
		}
		e.Body = eventtest.Full(k, event.MaxPaths+1)
		for name, got := range map[string]any{"Paths": e.Paths(), "From": e.From(), "Gone": e.Gone(), "Named": e.Named(),
			"Seen": e.Seen(), "Terms": e.Terms(), "Idents": e.Idents(), "Tags": e.Tags(), "Text": e.Text()} {
			if k == event.KindRename && name == "Paths" {
				name = "To"
			}
			want := reflect.Zero(reflect.TypeOf(got)).Interface()
			if f := reflect.ValueOf(e.Body).FieldByName(name); f.IsValid() {
				want = f.Interface()
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s is not the field of that name", k, name)
			}
		}
		sealed := k == event.KindPrompt || k == event.KindHint || reflect.TypeOf(e.Body) == reflect.TypeOf(event.Call{})
		if got := e.WithoutText().Text(); sealed && got != "" || !sealed && got != e.Text() {
			t.Errorf("%s: consumers get a text of %d bytes", k, len(got))
		}
		edits := k == event.KindEdit || k == event.KindWrite
		if e.Edits() != edits || e.Opens() != (edits || k == event.KindRead) {
			t.Errorf("%s: opens %v, edits %v", k, e.Opens(), e.Edits())
		}
	}
	sealed := event.Event{Body: event.Call{Act: event.ActRun, Text: "x", Command: "x", Edits: []event.Swap{{}}}}
	if call := sealed.WithoutText().Call(); call.Command != "" || call.Edits != nil {
		t.Errorf("consumers get %+v", call)
	}
	if event.MaxPaths != 5000 || event.MaxText != 4096 {
		t.Errorf("an event has at most %d paths and %d bytes of text", event.MaxPaths, event.MaxText)
	}
}
