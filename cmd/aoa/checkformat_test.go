package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// findings are an answer with names and a line that mean something in each format.
func findings() *change.Answer {
	lack := change.Lack{Lack: prefetch.Lack{File: "docs/a|b`,:%\n.md", Commits: []string{"3f2a1c9d0"},
		Together: event.Together{With: "api/wi re.go", Both: 9, Of: 10}}, Exception: `"api/wi re.go" x`}
	return &change.Answer{Missing: []change.Lack{lack}, MoreMissing: 2, Usual: []change.Lack{{Lack: prefetch.Lack{File: "go.sum"}}},
		Broken: []index.Broken{{File: "tool/r,un.go", Line: 5, Text: "x | `y` ::error::\n", Name: "ParseConfig", In: "lib/config.go"},
			{File: "README.md", Line: 1, Text: "see lib/old.go", Name: "lib/old.go", In: "lib/old.go"}}, MoreBroken: 3}
}

func printed(format string, ans *change.Answer) string {
	var out bytes.Buffer
	a := &app{out: &out, err: &bytes.Buffer{}}
	formats[format](a, ans)
	return out.String()
}

// TestCheckFormats compares every format with a golden file. No name and no line can begin a line, a cell or a command of
// its own.
func TestCheckFormats(t *testing.T) {
	var all strings.Builder
	for _, name := range formatNames() {
		text := printed(name, findings())
		all.WriteString("=== " + name + "\n" + text)
		for line := range strings.Lines(text) {
			switch {
			case name == "github" && !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::notice "):
				t.Errorf("GitHub reads no command in %q", line)
			case name == "markdown" && strings.HasPrefix(line, "|") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 3:
				t.Errorf("no row of two cells: %q", line)
			}
		}
	}
	fault.Golden(t, "../../testdata/check.golden", strings.ReplaceAll(all.String(), `"`+version()+`"`, `"VERSION"`))
}

// TestSARIF holds the report to the schema of SARIF 2.1.0, with findings and without.
func TestSARIF(t *testing.T) {
	text, err := os.ReadFile("../../testdata/sarif.schema.json")
	fault.Check(t, err)
	var schema jsonschema.Schema
	fault.Check(t, json.Unmarshal(text, &schema))
	valid, err := schema.Resolve(nil)
	fault.Check(t, err)
	for _, ans := range []*change.Answer{findings(), {}} {
		var report any
		fault.Check(t, json.Unmarshal([]byte(printed("sarif", ans)), &report))
		if err := valid.Validate(report); err != nil {
			t.Errorf("%v\n%s", err, printed("sarif", ans))
		}
	}
	var wrong any
	fault.Check(t, json.Unmarshal([]byte(strings.Replace(printed("sarif", findings()), `"warning"`, `"bad"`, 1)), &wrong))
	if valid.Validate(wrong) == nil {
		t.Error("the schema takes a level that there is not")
	}
}
