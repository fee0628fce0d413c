package hooks

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// FuzzDecode feeds the recorded payloads of all agents, and what grows from them, to the decoders
// of all.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/home/dev/orchard","tool_name":"Read","tool_use_id":"t","tool_input":{"file_path":"go.mod"}}`))
	f.Add([]byte(`{"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Edit","tool_input":{"file_path":"go.mod"},"tool_response":"Error: x"}]}`))
	f.Add([]byte(`{"hook_event_name":"UserPromptSubmit","prompt":"x","session_id":1}`))
	files, _ := filepath.Glob(filepath.Join("testdata", "*", "*.json"))
	for _, name := range files {
		f.Add(contentOf(f, name))
	}
	r := orchard()
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, a := range agents.All {
			agent := a.Name
			call, err := Decode(agent, nil, payload, r)
			if err != nil && (len(call.Events) > 0 || call.Query != nil) {
				t.Errorf("%s: %v and %+v", agent, err, call)
			}
			for _, e := range call.Events {
				checkEvent(t, r, e)
			}
			if call.Query != nil && call.Kind == "" || call.Query == nil && call.Kind != "" {
				t.Errorf("%s: a question without a kind: %+v", agent, call)
			}
		}
	})
}

// checkEvent holds for every event that leaves the decoder.
func checkEvent(t *testing.T, r Repo, e event.Event) {
	t.Helper()
	if e.ID == "" || e.Kind() == "" || len(e.Seen()) > event.MaxSeen || len(e.Terms()) > event.MaxTerms ||
		len(e.Text()) > event.MaxText || len(e.Tags()) > MaxTags {
		t.Errorf("out of bounds: %+v", e)
	}
	if redact.Text(e.Text()) != e.Text() {
		t.Errorf("not redacted: %q", e.Text())
	}
	if e.Kind() == event.KindRename && len(e.From()) != len(e.Paths()) {
		t.Errorf("rename of %d to %d", len(e.From()), len(e.Paths()))
	}
	for _, ps := range [][]event.Path{e.Paths(), e.From(), e.Named(), e.Seen()} {
		for _, p := range ps {
			if q, err := event.NewPath(string(p)); err != nil || q != p {
				t.Errorf("path %q: %v", p, err)
			}
		}
	}
	for _, p := range append(e.Named()[:len(e.Named()):len(e.Named())], e.Seen()...) {
		if !r.Tree.Has(p) && e.Kind() != event.KindRun {
			t.Errorf("%s names %q, which is not known", e.Kind(), p)
		}
	}
}

// FuzzCut: a JSON object that is cut anywhere gives the members that are whole.
func FuzzCut(f *testing.F) {
	whole := `{"a":"x","n":-12.5e3,"t":{"s":"a\u00e9\"b","ok":true,"l":[1,[2,{"k":"v"}],"y"],"e":{}},"z":null}`
	for i := range len(whole) + 1 {
		f.Add([]byte(whole), uint16(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint16) {
		var all map[string]json.RawMessage
		if json.Unmarshal(data, &all) != nil || !bytes.HasPrefix(data, []byte("{")) {
			return
		}
		var some map[string]any
		cut := data[:max(1, min(int(at), len(data)))]
		if err := decodeFirst(cut, &some); err != nil && len(wholeMembers(cut)) > 2 {
			t.Fatalf("%q: %v", cut, err)
		}
		for k := range some {
			if _, ok := all[k]; !ok {
				t.Fatalf("%q has no member %q", cut, k)
			}
		}
		if len(cut) == len(data) && len(some) != len(all) {
			t.Fatalf("%q: %d of %d members", data, len(some), len(all))
		}
	})
}

// TestCut: what is whole before the cut counts, down to the last member.
func TestCut(t *testing.T) {
	for cut, want := range map[string]string{
		`{"a":1,"b":2`:               `{"a":1}`,
		`{"a":1,"b":{"c":"d","e":"f`: `{"a":1,"b":{"c":"d"}}`,
		`{"a":[1,2,"x"`:              `{"a":[1,2,"x"]}`,
		`{"a":1,"content":"x`:        `{"a":1}`,
		`{"a":{"b":[{"c":"\"`:        `{"a":{"b":[{}]}}`,
		`{`:                          `{}`,
	} {
		fault.Same(t, cut, string(wholeMembers([]byte(cut))), want)
	}
}
