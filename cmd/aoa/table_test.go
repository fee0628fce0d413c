package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra/doc"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestWideCharacters: columns begin at the same place of the screen, whatever characters stand
// before them.
func TestWideCharacters(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out}
	printList(a, "", []string{"docs/设计.md", "docs/de\u0301sign.md", "a.md"},
		func(s string) []any { return []any{s, "|"} })
	for line := range strings.Lines(out.String()) {
		if before, _, _ := strings.Cut(line, "|"); width(before) != width("docs/design.md")+gap {
			t.Errorf("%q: the second column begins at %d", line, width(before))
		}
	}
}

// TestTablesFit: no line of a table is wider than the terminal, no word of it is broken, and
// nothing is cut.
func TestTablesFit(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out, width: 60}
	a.table("", "store\t/a/path/that/is/long/.git/aoa (12 MB of at most 500 MB, events kept 180 days)",
		"hints\tshown if their probability is at least 0.60")
	a.table("", "kinds\tpartner,rescue,search\tdefault\tthe hints that are shown, of which each may go")
	for line := range strings.Lines(out.String()) {
		if n := width(strings.TrimRight(line, "\n")); n > 60 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if !strings.Contains(out.String(), "\n       ") || !strings.Contains(out.String(), "events kept") {
		t.Errorf("the table does not continue on a second line:\n%s", &out)
	}
	out.Reset()
	long := "modules/caddyhttp/reverseproxy/upstreams_bench_test.go"
	printList(a, "", []string{long, "go.mod"}, func(s string) []any { return []any{s, strings.Repeat("word ", 40)} })
	if !strings.Contains(out.String(), long+"  word") || strings.Contains(out.String(), "…") {
		t.Errorf("a list is cut:\n%s", &out)
	}
}

// TestLogTellsHintsApart: most hints of the log were never shown to anyone.
func TestLogTellsHintsApart(t *testing.T) {
	for status, want := range map[prefetch.Status]string{prefetch.Shown: "partner: docs/api.md",
		prefetch.Withheld: "partner, withheld to compare: docs/api.md", prefetch.Shadow: "partner, not shown: docs/api.md"} {
		e := event.Event{Body: event.Hint{Name: "partner", Status: string(status), Paths: []event.Path{"docs/api.md"}}}
		fault.Same(t, string(status), (&app{}).what(e), want)
	}
}

// TestWorthListing: what is unlikely is listed if it shares commits with the change.
func TestWorthListing(t *testing.T) {
	list := []event.Suggestion{{File: "likely.go", Score: .05},
		{File: "shares.go", Score: .01, Together: &event.Together{Both: 2, Of: 90}},
		{File: "once.go", Score: .01, Together: &event.Together{Both: 1, Of: 9}}, {File: "none.go", Score: .04}}
	got := worthListing(list, false, false)
	if len(got) != 2 || got[0].File != "likely.go" || got[1].File != "shares.go" {
		t.Errorf("%+v", got)
	}
	if got := worthListing(list, true, false); len(got) != 0 {
		t.Errorf("with nothing to go on: %+v", got)
	}
}

// TestRead: names as git, fzf and Windows write them, and what a client says in all the shapes in
// which it must not matter, in testdata/read.txt.
func TestRead(t *testing.T) {
	fault.Replies(t, "testdata/read.txt", func(line string) []string {
		verb, text, _ := strings.Cut(line, " ")
		if verb == "status" {
			return []string{fmt.Sprintf("%+v", readStatus(strings.NewReader(text)))}
		}
		got, err := readNames(strings.NewReader(fault.Must(strconv.Unquote(text))))
		return []string{strings.TrimSuffix(fmt.Sprintf("%q %v", got, err), " <nil>")}
	})
	fault.Same(t, "a long name", readStatus(strings.NewReader(`{"session_id":"`+strings.Repeat("x", 300)+`"}`)).Session, "")
}

// TestStatusText: the parts of the line, in the order of S4 §7, without colors.
func TestStatusText(t *testing.T) {
	fault.Same(t, "a live session", statusText(statusIn{Window: contextWindow{48213, 24.1}},
		&api.SessionAnswer{Mode: "live", Shown: 5, Resolved: 4, Used: 3, Files: 12}, false),
		"● Live | 48k tokens (24%) | 3 of 4 hints used (75%) | 12 files")
	fault.Same(t, "a resumed one", statusText(statusIn{},
		&api.SessionAnswer{Mode: "session", Shown: 1, Files: 1}, false), "⟳ Session | 1 hint | 1 file")
	fault.Same(t, "a new one", statusText(statusIn{Window: contextWindow{Tokens: 999}},
		&api.SessionAnswer{Mode: "live", Known: 1200}, false), "● Live | 999 tokens | 1,200 files known")
	fault.Same(t, "no daemon", statusText(statusIn{Window: contextWindow{Tokens: 1_200_000}}, nil, true), "○ aOa off | 1.2M tokens")
	fault.Same(t, "no repository", statusText(statusIn{}, nil, false), "")
}

// FuzzStatus: no input makes it fail, print control characters or a second line.
func FuzzStatus(f *testing.F) {
	f.Add(`{"session_id":"s1","context_window":{"total_input_tokens":48213,"used_percentage":24.1}}`)
	f.Add(`{"session_id":"\u001b[2J\n","cwd":"\u0000","context_window":{"used_percentage":1e999}}`)
	f.Add(strings.Repeat("[", 10000))
	f.Fuzz(func(t *testing.T, raw string) {
		in := readStatus(strings.NewReader(raw))
		line := statusText(in, nil, true)
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) || len(line) > 200 {
			t.Errorf("%q", line)
		}
	})
}

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
	text := fault.Must(os.ReadFile("../../testdata/sarif.schema.json"))
	var schema jsonschema.Schema
	fault.Check(t, json.Unmarshal(text, &schema))
	valid := fault.Must(schema.Resolve(nil))
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

// TestLargeFile: only a large file is called large, although the size of each counts against it.
func TestLargeFile(t *testing.T) {
	for value, want := range map[float64]string{.5: "same stem", .9: "same stem; less likely because it is a large file"} {
		s := event.Suggestion{Reasons: []event.Reason{{Signal: "size", Value: value, Weight: -1.3},
			{Signal: "stem", Value: 1, Weight: .1, Text: "same stem"}}}
		fault.Same(t, fmt.Sprint(value), (&app{}).because(s), want)
	}
}

// TestHelp holds the page of aoa --help to a golden. TestCommandsPage holds the help of every
// command to docs/commands.md: what users read changes only on purpose.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	fault.Same(t, "exit code", run(context.Background(), []string{"--help"}, strings.NewReader(""), &out, &out, nil), 0)
	fault.Golden(t, "../../testdata/help.txt", out.String())
}

// TestHelpFits: every page of the help fits into 80 columns.
func TestHelpFits(t *testing.T) {
	pages := [][]string{{"--help"}, {"help", "all"}}
	for _, c := range allCommands((&app{}).commands())[1:] {
		pages = append(pages, append([]string{"help"}, strings.Fields(c.CommandPath())[1:]...))
	}
	if len(pages) < 50 {
		t.Errorf("only %d pages", len(pages))
	}
	for _, args := range pages {
		var out bytes.Buffer
		run(context.Background(), args, strings.NewReader(""), &out, &out, nil)
		for line := range strings.Lines(out.String()) {
			if n := width(strings.TrimRight(line, "\n")); n > 80 && args[1] != "completion" { // cobra's own page
				t.Errorf("%v: %d columns: %q", args, n, line)
			}
		}
	}
}

// TestVariables: every AOA_ variable that a document or a help text names is one that the program
// reads.
func TestVariables(t *testing.T) {
	known := map[string]bool{"AOA_TEST_REDIS": true, "AOA_REQUIRE": true}
	for _, v := range config.Variables {
		known[v] = true
	}
	for _, k := range config.Keys() {
		known[k.Env] = true
	}
	found := 0
	for _, f := range []string{"../../docs/commands.md", "../../README.md", "../../docs/api.md", "../../CONTRIBUTING.md"} {
		raw := fault.Must(os.ReadFile(f))
		for _, v := range regexp.MustCompile(`AOA_[A-Z0-9_]+`).FindAllString(string(raw), -1) {
			if found++; !known[strings.TrimRight(v, "_")] {
				t.Errorf("%s names %s, which nothing reads", f, v)
			}
		}
	}
	if found == 0 {
		t.Error("no document names a variable: nothing was tested")
	}
}

var manual = flag.Bool("manual", false, "write the man pages and completions of a release into bin/manual")

// TestManual makes what a release has beside the programs: a man page of each command and
// completions of three shells. Only tests import cobra's generator: the program would be larger by
// its templates.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if *manual {
		dir = "../../bin/manual"
	}
	root := (&app{}).commands()
	for _, folder := range []string{"man", "completions/bash", "completions/zsh", "completions/fish"} {
		fault.Check(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	root.DisableAutoGenTag = true
	found := 0
	for _, c := range allCommands(root) {
		if describe(c); strings.Contains(helpText, "\n=== "+c.CommandPath()+"\n") {
			found++
		}
		// A page is indented by seven columns and does not wrap examples, so 73 remain of a terminal with 80.
		for line := range strings.Lines(c.Example) {
			if width(strings.TrimRight(line, "\n")) > 73 {
				t.Errorf("%s: an example is too wide: %s", c.CommandPath(), line)
			}
		}
	}
	if found != strings.Count(helpText, "\n=== ") {
		t.Errorf("help.txt describes %d commands, and others that do not exist", found)
	}
	bash := fault.Must(bashCompletion(root))
	fault.Check(t, errors.Join(
		doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "aOa", Manual: "aOa"}, filepath.Join(dir, "man")),
		os.WriteFile(filepath.Join(dir, "completions/bash/aoa"), []byte(bash), 0o644),
		root.GenZshCompletionFile(filepath.Join(dir, "completions/zsh/_aoa")),
		root.GenFishCompletionFile(filepath.Join(dir, "completions/fish/aoa.fish"), true)))
	for file, want := range map[string]string{"man/aoa.1": "aoa-suggest", "man/aoa-hooks-install.1": "SYNOPSIS",
		"completions/bash/aoa": "__start_aoa", "completions/zsh/_aoa": "#compdef aoa",
		"completions/fish/aoa.fish": "complete -c aoa"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(text), `\-`, "-"), want) {
			t.Errorf("%s has no %q (%v)", file, want, err)
		}
	}
}
