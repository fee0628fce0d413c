package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestArguments: what models send in the place of what was asked for.
func TestArguments(t *testing.T) {
	type in struct {
		Files []string `json:"files,omitempty"`
		Skip  []int    `json:"skip,omitempty"`
		Text  *string  `json:"text,omitempty"`
		At    int64    `json:"at,omitempty"`
		All   bool     `json:"all,omitempty"`
	}
	schema := brief[in]()
	for raw, want := range map[string]string{
		``:     `{}`,
		`null`: `{}`,
		`{"files":["a"],"skip":[1],"text":"x","at":2,"all":true}`: `{"files":["a"],"skip":[1],"text":"x","at":2,"all":true}`,
		`{"files":null,"text":null,"at":null,"all":null}`:         `{}`,
		`{"files":"[\"a\",\"b\"]"}`:                               `{"files":["a","b"]}`,
		`{"files":"a.go"}`:                                        `{"files":["a.go"]}`,
		`{"files":["a",null]}`:                                    `{"files":["a"]}`,
		`{"skip":"[0, \"2\"]"}`:                                   `{"skip":[0,2]}`,
		`{"skip":3}`:                                              `{"skip":[3]}`,
		`{"at":"17","all":"true"}`:                                `{"at":17,"all":true}`,
		`{"text":7}`:                                              `{"text":"7"}`,
		`{"text":{"b":1,"a":[2]}}`:                                `{"text":"{\"b\":1,\"a\":[2]}"}`,
		`"{\"at\":1}"`:                                            `{"at":1}`,
		`[1]`:                                                     `the arguments are no object`,
		`{"flies":["a"]}`:                                         `unknown argument "flies"`,
		`{"at":"soon"}`:                                           `at does not fit`,
		`{"at":1.5}`:                                              `at does not fit`,
		`{"all":"perhaps"}`:                                       `all does not fit`,
		`{"files":{"a":1}}`:                                       `files does not fit`,
		`{"files":[["a"]]}`:                                       `files does not fit`,
		`{"skip":["a"]}`:                                          `skip does not fit`,
	} {
		got, err := decode[in](json.RawMessage(raw), schema)
		said, _ := json.Marshal(got)
		if err != nil {
			said = []byte(err.Error())
		}
		fault.Same(t, raw, string(said), want)
	}
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
	tools, err := d.agent.ListTools(t.Context(), nil)
	fault.Check(t, err)
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
