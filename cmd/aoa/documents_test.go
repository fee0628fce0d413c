package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

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
