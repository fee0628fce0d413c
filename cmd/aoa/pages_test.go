package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// section holds the part of a page between <!-- begin NAME --> and <!-- end NAME --> to a text that
// the program tells. -update writes it.
func section(t *testing.T, page, name, text string) {
	t.Helper()
	page = filepath.Join("../..", page)
	raw, err := os.ReadFile(page)
	fault.Check(t, err)
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(string(raw), begin)
	_, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no section %s", page, name)
	}
	fault.Golden(t, page, before+begin+"\n"+text+"\n"+end+after)
}

// TestCommandsPage holds docs/commands.md to the help of every command that help lists.
func TestCommandsPage(t *testing.T) {
	var b strings.Builder
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Hidden {
				continue
			}
			var out strings.Builder
			args := append([]string{"help"}, strings.Fields(sub.CommandPath())[1:]...)
			run(t.Context(), args, strings.NewReader(""), &out, &out, nil)
			help, _, _ := strings.Cut(out.String(), "\nGlobal Flags:")
			fmt.Fprintf(&b, "## %s\n\n```\n%s\n```\n\n", sub.CommandPath(), strings.TrimSpace(help))
			walk(sub)
		}
	}
	walk((&app{}).commands())
	section(t, "docs/commands.md", "commands", strings.TrimSpace(b.String())+"\n")
}

// TestAPIPage holds docs/api.md to the routes of package api and to the types of their requests and
// answers.
func TestAPIPage(t *testing.T) {
	s := newWireTypes()
	var routes strings.Builder
	routes.WriteString("| request | question | body | answer |\n| --- | --- | --- | --- |\n")
	for _, r := range s.routes(t) {
		fmt.Fprintf(&routes, "| %s `/v1%s` | %s | %s | %s |\n", r.method, r.path, r.about, r.req, r.res)
	}
	section(t, "docs/api.md", "routes", routes.String())
	for _, body := range []string{"Prompt", "Call", "Save", "Commit", "Rename", "Delete", "Hint", "Feedback"} {
		s.link("internal/event", body)
	}
	section(t, "docs/api.md", "types", s.types(t))
}

// printedTypes names what each command prints with --json: a type that a package exports or that
// package main has, or fields.
var printedTypes = [][2]string{
	{"suggest", "internal/event.Answer and root"}, {"check", "internal/change.Answer and root"},
	{"check --backtest", "internal/eval.Backtest"}, {"why FILE", "internal/api.WhyAnswer and root"},
	{"why FILE:LINE", "internal/api.WhyLineAnswer and root"}, {"status", "internal/api.StatusAnswer"},
	{"status --all", "a list of internal/api.StatusAnswer"}, {"stats", "cmd/aoa.statsSummary"},
	{"stats files, tags, sessions or hints", "internal/api.StatsAnswer"},
	{"stats metrics", "an object: each series of the text, and its value"}, {"log", "internal/event.Event, one for each line"},
	{"report", "cmd/aoa.reportAnswer"}, {"init", "cmd/aoa.initReport"}, {"remove", "`removed`: the folders of the stores"},
	{"hooks install, hooks remove", "a list of cmd/aoa.hookChange"},
	{"config", "a list of cmd/aoa.setting, with KEY one"}, {"doctor", "a list of cmd/aoa.finding"},
	{"context", "a list of internal/session/contexts.Segment"}, {"feedback", "internal/api.ThresholdAnswer"},
	{"pause", "internal/api.PauseAnswer"}, {"forget", "internal/api.ForgetAnswer"}, {"daemon start", "`state`, `pid`"},
	{"daemon stop", "`stopped`"}, {"redis", "`socket`: its path, when it listens"},
	{"session list", "internal/api.SessionsAnswer"}, {"session show, resume or set", "internal/api.SessionSummary"},
	{"reload list", "internal/api.SequencesAnswer"}, {"reload show", "internal/reload.Match"},
	{"reload run, reload undo", "internal/api.ReplayAnswer"}, {"reload forget", "internal/api.SequenceForgetAnswer"},
	{"cache put", "internal/api.CachePutAnswer"}, {"cache get", "cmd/aoa.cached"},
	{"cache list", "internal/api.CacheListAnswer"}, {"cache rm", "internal/api.CacheDeleteAnswer"},
	{"stage run", "`stage`, `key`, `hit`, `miss`, `exit`, `duration_ms`, `saved_ms`, `kept`, `not_kept`, `stdout`, `stderr`, `made`: files"},
	{"stage why", "internal/stage.Why"}, {"stage list", "internal/api.StageListAnswer"}, {"stage rm", "internal/api.StageDropAnswer"},
	{"pipeline run", "internal/stage/run.PipelineReport"}, {"pipeline check", "`pipeline` and `stages`, a list of internal/stage/run.PlannedStage"},
}

// TestJSONPage holds docs/json.md to the types that commands print. Those of requests are described
// in docs/api.md.
func TestJSONPage(t *testing.T) {
	api := newWireTypes()
	api.routes(t)
	api.types(t)
	s := newWireTypes()
	s.elsewhere = api.done
	var b strings.Builder
	b.WriteString("| aoa | prints |\n| --- | --- |\n")
	types := regexp.MustCompile(`((?:internal|cmd)[a-z/]+)\.([a-zA-Z]+)`)
	for _, p := range printedTypes {
		root := (&app{}).commands()
		if c, _, err := root.Find(strings.Fields(p[0])[:1]); err != nil || c == root {
			t.Errorf("there is no command %q", p[0])
		}
		what := types.ReplaceAllStringFunc(p[1], func(m string) string {
			parts := types.FindStringSubmatch(m)
			return s.link(parts[1], parts[2])
		})
		fmt.Fprintf(&b, "| `%s` | %s |\n", p[0], strings.Replace(what, " root", " `root`", 1))
	}
	section(t, "docs/json.md", "json", b.String()+"\n"+s.types(t))
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
