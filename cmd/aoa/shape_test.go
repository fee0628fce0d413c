package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestJSONShapes: programs that read the JSON rely on its names.
func TestJSONShapes(t *testing.T) {
	noRace(t)
	t.Parallel()
	d := newSandbox(t, 16)
	for _, want := range []struct{ args, fields string }{
		{"init --json", "store seconds commits files transcripts hooks pairs"},
		{"suggest server/wire.go --json", "confidence suggestions at ms root"},
		{"why docs/protocol.md --with server/wire.go --json",
			"file score logit calibration reasons unseen at rank known root"},
		{"status --json", "pid repo store events files watched_folders polled_folders uptime_s rss_bytes db_bytes " +
			"hot_bytes commits sessions import threshold retention_bytes"},
		{"feedback good --json", "value configured kinds"},
		{"daemon start --json", "state pid"},
		{"config threshold --json", "key value origin"},
		{"forget README.md --json", "events files"},
		{"pause 1h --json", "paused_until"},
		{"pause off --json", ""},
		{"stats --json", "status hot files pairs hints"},
		{"stats files --json", ""},
		{"daemon stop --json", "stopped"},
		{"remove --yes --json", "removed"},
	} {
		var got map[string]any
		out := d.must(strings.Fields(want.args)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Errorf("aoa %s: %v in %q", want.args, err, out)
		}
		for _, f := range strings.Fields(want.fields) {
			if _, ok := got[f]; !ok {
				t.Errorf("aoa %s has no %q: %s", want.args, f, out)
			}
		}
	}
}

// TestMetricsAreDocumented: docs/api.md lists the metrics that there are, and no others.
func TestMetricsAreDocumented(t *testing.T) {
	d := initialized(t, 16)
	d.must("suggest", "server/wire.go")
	for _, f := range []api.Hook{{Payload: d.hook("UserPromptSubmit", "s", "p", "", "the protocol of server/wire.go")},
		{Payload: d.hook("PreToolUse", "s", "t", "Read", "server/wire.go")},
		{Payload: d.hook("PostToolUse", "s", "t", "Read", "server/wire.go")}} {
		f.Agent, f.Dir, f.Wait = "claude", d.dir, true
		if _, err := d.send(f); err != nil {
			t.Fatal(err)
		}
	}
	printed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (aoa_\w+)`).FindAllStringSubmatch(d.must("stats", "metrics"), -1) {
		printed[m[1]] = true
	}
	page, err := os.ReadFile("../../docs/api.md")
	fault.Check(t, err)
	_, table, found := strings.Cut(string(page), "## Metrics")
	if !found || len(printed) < 8 {
		t.Fatalf("docs/api.md has a table: %v; printed are %v", found, printed)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`(aoa_[a-z_]+)").FindAllStringSubmatch(table, -1) {
		listed[m[1]] = true
	}
	for name := range listed {
		if !printed[name] {
			t.Errorf("%s is documented and not printed", name)
		}
	}
	for name := range printed {
		if !listed[name] {
			t.Errorf("%s is printed and not documented", name)
		}
	}
}
