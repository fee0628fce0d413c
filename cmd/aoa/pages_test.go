package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/wiretypes"
)

// section holds the part of a page between <!-- begin NAME --> and <!-- end NAME --> to a text that
// the program tells. -update writes it.
func section(t *testing.T, page, name, text string) {
	t.Helper()
	page = filepath.Join("../..", page)
	raw := fault.Must(os.ReadFile(page))
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(string(raw), begin)
	_, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no section %s", page, name)
	}
	fault.Golden(t, page, before+begin+"\n"+text+"\n"+end+after)
}

// allCommands returns a command and all below it, each before those below it.
func allCommands(c *cobra.Command) (all []*cobra.Command) {
	all = append(all, c)
	for _, sub := range c.Commands() {
		all = append(all, allCommands(sub)...)
	}
	return all
}

// TestCommandsPage holds docs/commands.md to the help of every command that help lists.
func TestCommandsPage(t *testing.T) {
	var b strings.Builder
	for _, c := range allCommands((&app{}).commands())[1:] {
		if c.Hidden {
			continue
		}
		var out strings.Builder
		args := append([]string{"help"}, strings.Fields(c.CommandPath())[1:]...)
		run(t.Context(), args, strings.NewReader(""), &out, &out, nil)
		help, _, _ := strings.Cut(out.String(), "\nGlobal Flags:")
		fmt.Fprintf(&b, "## %s\n\n```\n%s\n```\n\n", c.CommandPath(), strings.TrimSpace(help))
	}
	section(t, "docs/commands.md", "commands", strings.TrimSpace(b.String())+"\n")
}

// TestAPIPage holds docs/api.md to the routes of package api and to the types of their requests and
// answers.
func TestAPIPage(t *testing.T) {
	s := wiretypes.New("../..")
	var routes strings.Builder
	routes.WriteString("| request | question | body | answer |\n| --- | --- | --- | --- |\n")
	for _, r := range s.Routes(t) {
		fmt.Fprintf(&routes, "| %s `/v1%s` | %s | %s | %s |\n", r.Method, r.Path, r.About, r.Req, r.Res)
	}
	section(t, "docs/api.md", "routes", routes.String())
	for _, body := range []string{"Prompt", "Call", "Save", "Commit", "Rename", "Delete", "Hint", "Feedback"} {
		s.Link("internal/event", body)
	}
	section(t, "docs/api.md", "types", s.Describe(t))
}

// TestJSONPage holds docs/json.md to the types that commands print, as testdata/printed.txt names
// them. Those of requests are described in docs/api.md.
func TestJSONPage(t *testing.T) {
	api := wiretypes.New("../..")
	api.Routes(t)
	api.Describe(t)
	s := wiretypes.New("../..")
	s.Elsewhere = api.Done
	var b strings.Builder
	b.WriteString("| aoa | prints |\n| --- | --- |\n")
	types := regexp.MustCompile(`((?:internal|cmd)[a-z/]+)\.([a-zA-Z]+)`)
	for line := range strings.Lines(string(fault.Must(os.ReadFile("testdata/printed.txt")))) {
		commands, printed, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		root := (&app{}).commands()
		if c, _, err := root.Find(strings.Fields(commands)[:1]); err != nil || c == root {
			t.Errorf("there is no command %q", commands)
		}
		what := types.ReplaceAllStringFunc(printed, func(m string) string {
			parts := types.FindStringSubmatch(m)
			return s.Link(parts[1], parts[2])
		})
		fmt.Fprintf(&b, "| `%s` | %s |\n", commands, strings.Replace(what, " root", " `root`", 1))
	}
	section(t, "docs/json.md", "json", b.String()+"\n"+s.Describe(t))
}

// TestMetricsAreDocumented: docs/api.md lists the metrics that there are, and no others.
func TestMetricsAreDocumented(t *testing.T) {
	d := initialized(t, 16)
	d.must("suggest", "server/wire.go")
	for _, f := range []api.Hook{{Payload: d.hook("UserPromptSubmit", "s", "p", "", "the protocol of server/wire.go")},
		{Payload: d.hook("PreToolUse", "s", "t", "Read", "server/wire.go")},
		{Payload: d.hook("PostToolUse", "s", "t", "Read", "server/wire.go")}} {
		f.Agent, f.Dir, f.Wait = "claude", d.dir, true
		fault.Must(d.send(f))
	}
	names := func(pattern, text string) (all []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	_, table, _ := strings.Cut(string(fault.Must(os.ReadFile("../../docs/api.md"))), "## Metrics")
	printed := names(`(?m)^# TYPE (aoa_\w+)`, d.must("stats", "metrics"))
	fault.Same(t, "the metrics of docs/api.md", names("`(aoa_[a-z_]+)", table), printed)
	fault.Same(t, "there are some", len(printed) > 7, true)
}

// TestConfigPage holds docs/configuration.md to the settings that exist.
func TestConfigPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| key | default | values | what it does |\n| --- | --- | --- | --- |\n")
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	for _, k := range config.Keys() {
		help := k.Help
		if k.Effect != config.AtOnce {
			help += " A change takes effect " + string(k.Effect) + "."
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, cell(k.Default), cell(k.Allowed), cell(help))
	}
	b.WriteString("\nOther variables:\n\n| variable | what it does |\n| --- | --- |\n")
	for _, v := range config.Variables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v, config.Described(v))
	}
	b.WriteString("\n| kind | shown |\n| --- | --- |\n")
	for _, k := range config.Kinds {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k, config.Described("kind "+k))
	}
	section(t, "docs/configuration.md", "settings", b.String())
}

// TestDrivenVersions: the table of agents in docs/agents.md says which versions were driven.
func TestDrivenVersions(t *testing.T) {
	page := fault.Must(os.ReadFile("../../docs/agents.md"))
	for _, a := range agents.All {
		version := cmp.Or(a.Driven, "none: by its documentation")
		if row := "| " + a.Title + " | " + version + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/agents.md has no row %q", row)
		}
	}
}

// documents are the pages that people and agents read.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (name == ".git" || name == "testdata" || name == "bin"):
			return fs.SkipDir
		case filepath.Ext(name) == ".md":
			text, err := fs.ReadFile(root, name)
			pages[name] = string(text)
			return err
		}
		return nil
	})
	fault.Check(t, err)
	return pages
}

var (
	codeLine    = regexp.MustCompile(`(?m)^(?:    |\$ )?(aoa .*)$`)
	plainWord   = regexp.MustCompile(`^[a-z]+$`)
	inlineCode  = regexp.MustCompile("`(aoa [^`]+)`")
	afterColumn = regexp.MustCompile(`  +.*| +#.*| *&&.*| *&$| *\|.*`) // a description, a comment, another command
)

// documented lists the commands of a page, without what describes them.
func documented(page string) (commands []string) {
	for _, pattern := range []*regexp.Regexp{codeLine, inlineCode} {
		for _, m := range pattern.FindAllStringSubmatch(page, -1) {
			commands = append(commands, afterColumn.ReplaceAllString(strings.ReplaceAll(m[1], "\n", " "), ""))
		}
	}
	return commands
}

// TestDocumentedCommands: every command and every flag that a page names exists, and none of them is hidden.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	found := 0
	for name, page := range documents(t) {
		for _, command := range documented(page) {
			found++
			checkDocumented(t, name, command)
		}
	}
	if found < 80 {
		t.Errorf("found %d commands", found)
	}
}

func checkDocumented(t *testing.T, page, command string) {
	t.Helper()
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" []()", r) })[1:]
	c := (&app{}).commands()
	c.InitDefaultHelpCmd()
	c.InitDefaultCompletionCmd()
	for len(words) > 0 && c.HasSubCommands() {
		name, more := strings.CutSuffix(words[0], ",") // "reload list, show, run" names three
		i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == name })
		if i < 0 {
			break
		}
		words = words[1:]
		if sub := c.Commands()[i]; !more && !(len(words) > 0 && strings.HasSuffix(words[0], ",")) {
			c = sub
		}
	}
	if len(words) > 0 && c.HasSubCommands() && plainWord.MatchString(words[0]) && (!c.Runnable() || c.ValidateArgs(words[:1]) != nil) {
		t.Errorf("%s: %q: %q has no command %q", page, command, c.CommandPath(), words[0])
	}
	for _, w := range words {
		if w == "--" {
			break // the words of another program follow
		}
		flag, _, _ := strings.Cut(strings.TrimRight(w, ".,;:|"), "=")
		if strings.HasPrefix(flag, "-") && !shownFlag(c, flag) {
			t.Errorf("%s: %q: there is no flag %s", page, command, flag)
		}
	}
}

// shownFlag reports whether a command takes a flag that its help shows.
func shownFlag(c *cobra.Command, flag string) bool {
	var f *pflag.Flag
	c.InitDefaultHelpFlag()
	if long, is := strings.CutPrefix(flag, "--"); is {
		f = c.Flag(long)
	} else if len(flag) == 2 {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.InheritedFlags()} {
			if f == nil {
				f = set.ShorthandLookup(flag[1:])
			}
		}
	}
	return f != nil && !f.Hidden
}

// TestDocumentedNames: files and tests that a page names exist.
func TestDocumentedNames(t *testing.T) {
	t.Parallel()
	tests := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w+)`")
	links := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	defined := definedTests(t)
	for name, page := range documents(t) {
		for _, m := range tests.FindAllStringSubmatch(page, -1) {
			if !defined[m[1]] {
				t.Errorf("%s: there is no %s", name, m[1])
			}
		}
		for _, m := range links.FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// definedTests are the names of all tests, fuzz tests and benchmarks.
func definedTests(t *testing.T) map[string]bool {
	t.Helper()
	names, pattern := map[string]bool{}, regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	fault.Check(t, err)
	return names
}

// TestNoArgumentIsSwallowed: no command takes more arguments than its help names.
func TestNoArgumentIsSwallowed(t *testing.T) {
	for _, c := range allCommands((&app{}).commands()) {
		words := strings.Fields(c.Use) // its name, and a word for each argument
		if !c.HasSubCommands() && !strings.Contains(c.Use, "…") && c.ValidateArgs(words) == nil {
			t.Errorf("%s takes %d arguments", c.CommandPath(), len(words))
		}
	}
	t.Chdir(t.TempDir())
	for _, line := range []string{"config --unset threshold", "reload forget --all", "cache rm --all", "stage rm --all",
		"check --staged", "help init", "completion bash", "--version"} {
		var out, errw bytes.Buffer
		args := append(strings.Fields(line), "toomuch")
		if code := run(context.Background(), args, strings.NewReader(""), &out, &errw, nil); code != exitUsage {
			t.Errorf("aoa %s: exit %d, %s%s", strings.Join(args, " "), code, &out, &errw)
		}
	}
}

// TestInterruptedInput: what reads standard input ends with ctrl-C.
func TestInterruptedInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"suggest -", "cache put", "cache put -"} {
		ctx, cancel := context.WithCancel(context.Background())
		in, open := io.Pipe() // nothing comes
		cancel()
		var out, errw bytes.Buffer
		if code := run(ctx, strings.Fields(line), in, &out, &errw, nil); code != exitInterrupted {
			t.Errorf("aoa %s: exit %d, %s%s", line, code, &out, &errw)
		}
		open.Close()
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullDisk: what cannot be printed is an error.
func TestFullDisk(t *testing.T) {
	for _, line := range []string{"--version", "--version --json", "help", "help all", "suggest --help", "completion bash"} {
		var errw bytes.Buffer
		code := run(context.Background(), strings.Fields(line), strings.NewReader(""), full{}, &errw, nil)
		fault.Same(t, line, fmt.Sprint(code, " ", errw.String()), "1 aoa: no space left\n")
	}
}
