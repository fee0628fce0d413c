package event

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// filled returns a body of the kind in which every stored field has a value of its own: lists are
// longer than any bound.
func filled(k Kind) Body {
	body := reflect.New(reflect.TypeOf(NewBody(k))).Elem()
	body.Set(reflect.ValueOf(NewBody(k)))
	for i := range body.NumField() {
		name, f := body.Type().Field(i).Name, body.Field(i)
		if body.Type().Field(i).Tag.Get("json") == "-" || name == "Act" || name == "Failure" || name == "Check" {
			continue
		}
		switch v := f.Addr().Interface().(type) {
		case *[]Path:
			for j := range MaxPaths + 1 {
				*v = append(*v, Path(fmt.Sprint(name, j)))
			}
		case *[]string:
			for j := range 100 {
				*v = append(*v, fmt.Sprint(name, j))
			}
		case *[]float64:
			*v = []float64{.5}
		case *string:
			*v = name + strings.Repeat("x", MaxText)
		case *Path:
			*v = Path(name)
		case *Task:
			*v = TaskChange
		case *int:
			*v = 7 + i
		case *bool:
			*v = true
		case *time.Time:
			*v = time.UnixMilli(5000).UTC()
		default:
			panic("a field of type " + f.Type().String())
		}
	}
	return body.Interface().(Body)
}

// TestBodies: of each kind every field is written and read, every list of paths can be changed,
// every list is bounded by Normalize, the accessors of Event return the field of their name, and
// what the log seals is left out for consumers.
func TestBodies(t *testing.T) {
	bounds := map[string]int{"Named": 60, "Seen": 60, "Terms": 32, "Tags": 32, "Failing": 3}
	for _, k := range Kinds() {
		e := Event{ID: "1", Time: time.UnixMilli(9000).UTC(), Session: "s", Subagent: "a", Turn: "t", Agent: "x", Origin: "o",
			Body: filled(k)}
		raw, err := json.Marshal(e)
		fault.Check(t, err)
		var read Event
		fault.Check(t, json.Unmarshal(raw, &read))
		if !reflect.DeepEqual(read, e) {
			t.Errorf("%s is read as another event", k)
		}
		body, lists := reflect.ValueOf(e.Body), 0
		for i := range body.NumField() {
			if _, paths := body.Field(i).Interface().([]Path); paths {
				lists++
			}
		}
		changed, all := e, lists
		changed.ChangePaths(func(list *[]Path) { lists--; *list = []Path{"changed.go"} })
		raw, err = json.Marshal(changed)
		fault.Check(t, err)
		fault.Same(t, string(k)+": lists that are changed", strings.Count(string(raw), "changed.go"), all)
		fault.Same(t, string(k)+": lists of paths that ChangePaths leaves out", lists, 0)
		e.ChangeText(func(text *string, terms *[]string) { *text = "changed " + *text; *terms = slices.Clone(*terms) })

		normal := reflect.ValueOf(e.Normalize(time.UnixMilli(9000)).Body)
		for i := range normal.NumField() {
			name, n := normal.Type().Field(i).Name, 0
			switch v := normal.Field(i).Interface().(type) {
			case []Path:
				n = MaxPaths
			case []string:
				if n = bounds[name]; name == "Idents" {
					n = map[bool]int{true: 40, false: 8}[k == KindPrompt || k == KindStop]
				}
			case string:
				if name == "Text" && len(v) != MaxText {
					t.Errorf("%s: a text of %d bytes", k, len(v))
				}
				continue
			default:
				continue
			}
			if b := bounds[name]; b > 0 {
				n = b
			}
			if k == KindStop && name == "Terms" {
				n = MaxSaid
			}
			fault.Same(t, fmt.Sprintf("%s: entries of %s", k, name), normal.Field(i).Len(), n)
		}
		e.Body = filled(k)
		for name, got := range map[string]any{"Paths": e.Paths(), "From": e.From(), "Gone": e.Gone(), "Named": e.Named(),
			"Seen": e.Seen(), "Terms": e.Terms(), "Idents": e.Idents(), "Tags": e.Tags(), "Text": e.Text()} {
			if k == KindRename && name == "Paths" {
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
		sealed := k == KindPrompt || k == KindHint || reflect.TypeOf(e.Body) == reflect.TypeOf(Call{})
		if got := e.WithoutText().Text(); sealed && got != "" || !sealed && got != e.Text() {
			t.Errorf("%s: consumers get a text of %d bytes", k, len(got))
		}
		if e.Opens() != slices.Contains([]Kind{KindRead, KindEdit, KindWrite}, k) || e.Edits() != (k == KindEdit || k == KindWrite) {
			t.Errorf("%s: opens %v, edits %v", k, e.Opens(), e.Edits())
		}
	}
	call := Event{Body: Call{Act: ActRun, Text: "x", Command: "x", Edits: []Swap{{}}}}.WithoutText().Call()
	if call.Command != "" || call.Edits != nil {
		t.Errorf("consumers get %+v", call)
	}
	if MaxPaths != 5000 || MaxText != 4096 {
		t.Errorf("an event has at most %d paths and %d bytes of text", MaxPaths, MaxText)
	}
}

// TestUnknownKind: an event of a kind that this program does not know is refused, as is one whose
// fields say another.
func TestUnknownKind(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"1","kind":"later"}`:                              `unknown kind of event "later"`,
		`{"id":"1","kind":"read","act":"edit"}`:                  `those of kind "edit"`,
		`{"id":"1","kind":"read","failure":"missing"}`:           `those of kind "failed"`,
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
