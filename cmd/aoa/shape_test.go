package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestWhyRepeats: aoa why --at is, to the digit, what aoa suggest had said, whatever was learned since; and the score
// can be computed again from what is printed.
func TestWhyRepeats(t *testing.T) {
	noRace(t)
	t.Parallel()
	d := newSandbox(t, 32)
	d.must("init")
	var answer event.Answer
	check(t, json.Unmarshal([]byte(d.must("suggest", "server/wire.go", "--json", "--explain")), &answer))
	if len(answer.Suggestions) < 2 || answer.Confidence != answer.Suggestions[0].Score {
		t.Fatalf("answered %+v", answer)
	}
	d.write("server/wire.go", "changed")
	d.write("other/file7.go", "changed")
	d.git("commit", "-qam", "other things")
	d.until("it is learned", func() bool { return d.status().Commits == 33 })
	now := d.must("suggest", "server/wire.go", "--json", "--explain")
	if strings.Contains(now, fmt.Sprint(answer.Suggestions[0].Score)) {
		t.Error("nothing has changed, so nothing is tested")
	}
	for _, again := range []string{"the same daemon", "the next daemon"} {
		for i, want := range answer.Suggestions {
			var got api.WhyAnswer
			check(t, json.Unmarshal([]byte(d.must("why", string(want.File), "--at", fmt.Sprint(answer.At), "--json")), &got))
			if !reflect.DeepEqual(got.Suggestion, want) || got.Rank != i+1 || got.At != answer.At {
				t.Errorf("%s says\n%+v\nafter\n%+v", again, got, want)
			}
			if sum := total(got.Reasons); !near(sum, got.Logit) {
				t.Errorf("%s: reasons add up to %v, the logit is %v", got.File, sum, got.Logit)
			}
		}
		d.must("stop")
	}
	if s := d.do("why", "server/wire.go", "--at", fmt.Sprint(answer.At)); s.code != 1 || !strings.Contains(s.err, "was not in the answer") {
		t.Errorf("a file that was not in it: exit %d, %s", s.code, s.err)
	}
}

func total(reasons []event.Reason) (sum float64) {
	for _, r := range reasons {
		sum += r.Value * r.Weight
	}
	return sum
}

// TestJSONShapes: programs that read the JSON rely on its names.
func TestJSONShapes(t *testing.T) {
	noRace(t)
	t.Parallel()
	d := newSandbox(t, 16)
	for _, want := range []struct{ args, fields string }{
		{"init --json", "store seconds commits files transcripts hooks pairs"},
		{"suggest server/wire.go --json", "confidence suggestions at ms root"},
		{"why docs/protocol.md --with server/wire.go --json", "file score logit calibration reasons unseen at rank known root"},
		{"status --json", "pid repo store events files watched_folders polled_folders uptime_s rss_bytes db_bytes " +
			"hot_bytes commits sessions import threshold retention_days retention_bytes"},
		{"feedback good --json", "value configured kinds"},
		{"start --json", "state pid"},
		{"config threshold --json", "key value origin"},
		{"forget README.md --json", "events files"},
		{"pause 1h --json", "paused_until"},
		{"pause off --json", ""},
		{"stats --json", "status hot files pairs kinds"},
		{"stats files --json", ""},
		{"stats cache --json", "sessions total"},
		{"version --json", "version build go os arch"},
		{"stop --json", "stopped"},
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
	t.Parallel()
	d := newSandbox(t, 16)
	d.must("init")
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
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (aoa_\w+)`).FindAllStringSubmatch(d.must("metrics"), -1) {
		printed[m[1]] = true
	}
	page, err := os.ReadFile("../../docs/api.md")
	check(t, err)
	_, table, found := strings.Cut(string(page), "## Metrics")
	if !found || len(printed) < 8 {
		t.Fatalf("docs/api.md has a table: %v; printed are %v", found, printed)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`(aoa_[a-z_]+)").FindAllStringSubmatch(table, -1) {
		listed[m[1]] = true
	}
	// A vector has no line before its first label is used.
	vectors := []string{"aoa_predictions_total", "aoa_decisions_total", "aoa_hook_seconds"}
	for name := range listed {
		if !printed[name] && !slices.Contains(vectors, name) {
			t.Errorf("%s is documented and not printed", name)
		}
	}
	for name := range printed {
		if !listed[name] {
			t.Errorf("%s is printed and not documented", name)
		}
	}
}
