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

func TestSweep(t *testing.T) {
	many := func(n int) (out []event.Path) {
		for i := range n {
			out = append(out, event.Path(fmt.Sprintf("pkg%d/file.go", i)))
		}
		return out
	}
	within := func(folders int) (out []event.Path) {
		for i := range 8 {
			out = append(out, event.Path(fmt.Sprintf("pkg%d/file%d.go", i%folders, i)))
		}
		return out
	}
	pair := []event.Path{"doc/man.go", "doc/man_test.go"}
	for _, c := range []struct {
		subject string
		files   []event.Path
		want    bool
	}{
		{"Update to latest go-md2man", []event.Path{"go.mod", "go.sum"}, false},
		{"Update to latest go-md2man", []event.Path{"go.mod", "go.sum", "doc/man.go"}, false},
		{"chore(deps): bump x from 1 to 2", []event.Path{"requirements-dev.txt", ".github/workflows/test.yml"}, false},
		{"refactor: apply golangci-lint autofixes", many(12), true},
		{"Fix linter", pair, false}, // a small one is work on these files
		{"add missing license headers", many(38), true},
		{"update copyright year (#1927)", many(5), true},
		{"modernize the loops", many(8), true}, {"modernize the loops", many(7), false},
		{"modernize the loops", within(3), true}, {"modernize the loops", within(2), false},
		{"parse the version of a module", many(4), false},
		{"Release 1.2", many(9), false}, // the files of a release belong together,
		{"Use the correct man page section", many(30), false},
		{"", []event.Path{"yarn.lock", "package.json"}, false},
		{"", pair, false},
		{"", nil, false},
		{"Bumpy road: circuits", many(9), false}, // neither "bump" nor "ci"
	} {
		e := event.Commit{Text: c.subject, Paths: c.files}
		fault.Same(t, c.subject+" is a sweep", e.Sweep(), c.want)
	}
}

func TestUpkeep(t *testing.T) {
	for p, want := range map[event.Path]bool{
		"go.mod": true, "web/yarn.lock": true, ".github/workflows/ci.yml": true, "CHANGELOG.md": true, "CHANGES": true, "docs/changes.rst": true,
		"HISTORY.md": true, "requirements-dev.txt": true, "requirements/test.txt": true, "history.go": false, "src/changes.py": false,
		"News.vue": false, "docs/notes.txt": false, "requirements.py": false, "README.md": false,
	} {
		fault.Same(t, string(p)+" is upkeep", p.Upkeep(), want)
	}
}

func TestTopics(t *testing.T) {
	terms := []string{"build", "dep", "bump", "certificate"}
	for _, c := range []struct {
		subject string
		files   []event.Path
		want    []string
	}{
		{"build(deps): bump example.com/certificates from 1 to 2", []event.Path{"go.mod", "go.sum"}, []string{"dep", "bump"}},
		{"Bump certificates", []event.Path{"requirements/test.txt"}, []string{"dep", "bump"}},
		{"build(deps): bump example.com/certificates", []event.Path{"go.mod", "tls.go"}, terms},
		{"chore(deps): bump actions/checkout", []event.Path{".github/workflows/ci.yml"}, terms}, // it says which job uses it
		{"Run go mod tidy", []event.Path{"go.mod"}, terms},
	} {
		e := event.Commit{Text: c.subject, Paths: c.files, Terms: terms}
		fault.Same(t, c.subject, e.Topics(), c.want)
	}
}

func TestPairStem(t *testing.T) {
	for _, c := range []struct {
		a, b event.Path
		want bool
	}{
		{"rank/rank.go", "rank/rank_test.go", true}, {"src/a.ts", "test/a.spec.ts", true}, {"x/a.c", "include/a.h", true},
		{"a/index.ts", "b/index.ts", false}, {"a/doc.go", "b/doc.go", false}, {"README.md", "docs/README.md", false},
		{"a/__init__.py", "b/__init__.py", false}, {"a/mod.rs", "b/mod.rs", false}, {"a/utils.py", "b/utils.py", false},
		{"a/utils.py", "a/test_utils.py", true}, {"a/utils.py", "b/test_utils.py", false}, {"a/index.ts", "a/index.test.ts",
			true},
		{"a/x.go", "a/y.go", false},
	} {
		fault.Same(t, fmt.Sprintf("%s and %s are a pair", c.a, c.b), c.a.PairStem() == c.b.PairStem(), c.want)
	}
}
