package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestArguments compares what models send in the place of what was asked for with
// testdata/arguments.txt: the line with a tab below each is what is made of it (-update writes it).
func TestArguments(t *testing.T) {
	type in struct {
		Files []string `json:"files,omitempty"`
		Skip  []int    `json:"skip,omitempty"`
		Text  *string  `json:"text,omitempty"`
		At    int64    `json:"at,omitempty"`
		All   bool     `json:"all,omitempty"`
	}
	schema := brief[in]()
	fault.Replies(t, "testdata/arguments.txt", func(line string) []string {
		raw, is := strings.CutPrefix(line, "args")
		if !is {
			return nil
		}
		got, err := decode[in](json.RawMessage(strings.TrimSpace(raw)), schema)
		if err != nil {
			return []string{err.Error()}
		}
		return []string{string(fault.Must(json.Marshal(got)))}
	})
}

// FuzzArguments: whatever arrives is an answer or an error.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"", "null", `{"files":"["}`, `{"offset":"9999999999999999999999"}`, `{"data":[1]}`, `{"key":"\u0000"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, _ = decode[cacheIn](raw, brief[cacheIn]())
		_, _ = decode[suggestIn](raw, brief[suggestIn]())
	})
}

// TestSchemas: each property is an object with one type, and so are the elements of a list.
func TestSchemas(t *testing.T) {
	d := newFixture(t, Options{})
	tools := fault.Must(d.agent.ListTools(t.Context(), nil))
	for _, tool := range tools.Tools {
		var schema jsonschema.Schema
		fault.Check(t, json.Unmarshal(quote(tool.InputSchema), &schema))
		for name, p := range schema.Properties {
			if p.Type == "" || p.Type == "array" && (p.Items == nil || p.Items.Type == "") || len(p.Types) > 0 ||
				!slices.Contains(strings.Fields("string integer boolean array"), p.Type) {
				t.Errorf("%s.%s: %s", tool.Name, name, quote(p))
			}
		}
	}
}

// TestCache: an agent sets results aside, keeps the labels, and reads back parts.
func TestCache(t *testing.T) {
	d := newFixture(t, Options{Session: "s1"})
	d.Begin()
	do := func(args object) cacheOut {
		t.Helper()
		return call[cacheOut](d, "llm_cache", args)
	}
	fails := func(args object, want ...string) {
		t.Helper()
		res := d.raw("llm_cache", args)
		for _, w := range want {
			if !res.IsError || !strings.Contains(text(res), w) {
				t.Errorf("%v: error %v without %q: %s", args, res.IsError, w, text(res))
			}
		}
	}
	if got := do(object{"action": "list"}); len(got.Items) != 0 {
		t.Errorf("something is there: %+v", got)
	}
	list := object{"files": []object{{"name": "a.go", "todo": 3}, {"name": "b.go", "todo": 1}}}
	wrote := do(object{"action": "write", "task_id": "survey", "turn_id": "1", "data": list,
		"description": "TODOs by file"})
	if len(wrote.Items) != 1 || wrote.Items[0].Key != "s1_survey_1" || wrote.Items[0].Description != "TODOs by file" {
		t.Fatalf("%+v", wrote)
	}
	if raw, err := json.Marshal(wrote.Items[0]); err != nil || len(raw) > 500 {
		t.Errorf("a label of %d bytes", len(raw))
	}
	if part := do(object{"action": "read", "key": "s1_survey_1", "offset": 2, "lines": "1"}); part.Data != `files":[{"name":"a.go","todo":3},{"name":"b.go","todo":1}]}` {
		t.Errorf("%+v", part)
	}
	long := strings.Repeat("a line of the log\n", 2000)
	key := do(object{"action": "write", "data": long, "description": "log"}).Items[0].Key
	first := do(object{"action": "read", "key": key})
	if len(first.Data) != cacheRead || first.Next != cacheRead || first.Total != int64(len(long)) {
		t.Errorf("a read: %d bytes, next %d of %d", len(first.Data), first.Next, first.Total)
	}
	if rest := do(object{"action": "read", "key": key, "offset": first.Next}); first.Data+rest.Data != long ||
		rest.Next != 0 {
		t.Errorf("the rest has %d bytes", len(rest.Data))
	}
	if lines := do(object{"action": "read", "key": key, "lines": "2-3"}); lines.Data != long[:36] {
		t.Errorf("%q", lines.Data)
	}
	if got := do(object{"action": "list", "task_id": "survey"}); len(got.Items) != 1 || got.Total != 1 {
		t.Errorf("%+v", got)
	}
	fails(object{"action": "write", "task_id": "survey", "turn_id": "1", "data": 1}, "is already stored",
		"hint: write with overwrite")
	fails(object{"action": "write"}, "no data")
	fails(object{"action": "read", "key": "s1_survey_9"}, "no item has the key", "hint: aoa cache list")
	fails(object{"action": "eat"}, "unknown action", "hint: action is write")
	fails(object{}, "action")
	if got := do(object{"action": "delete", "key": "s1_survey_1"}); got.Deleted != 1 {
		t.Errorf("%+v", got)
	}
}
