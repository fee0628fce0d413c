package hint

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSought: the files that a search meant: those that define its identifier, then those of
// nearly its name.
func TestSought(t *testing.T) {
	files := map[event.Path]string{"config/load.go": "package config\nfunc parseConfig() {}\n", "web/app.go": "package web\nvar x = parseConfig()\n",
		"server/handler.go": "package server\n"}
	c := index.NewContents()
	var all []event.Path
	for f, text := range files {
		all = append(all, f)
		c.Set(f, []byte(text))
	}
	for pattern, want := range map[string]string{"parseConfig": `config/load.go defines "parseconfig"`,
		"**/handlers.go": `server/handler.go has nearly the name "handlers.go"`, "lost/handler.go": `server/handler.go is called "handler.go"`,
		"lost/handler*": `server/handler.go is called "handler"`, "nothing of this kind": ""} {
		var got []string
		for _, f := range filesSought(index.NewTree(all), c, pattern, index.Identifiers(pattern, 1)) {
			got = append(got, string(f.File)+" "+f.Reasons[0].Text)
		}
		fault.Same(t, pattern, strings.Join(got, ", "), want)
	}
}

// TestNamesIn: what a pattern may name, and of how many files of a name.
func TestNamesIn(t *testing.T) {
	for pattern, want := range map[string]string{"**/hand_lers.go": "handlers.go", "abc": "", "parse": "parse", "parse config": "",
		"(a/first|b/second)": "first second", `x/^load\.go$`: "load.go", "src/*.ts": ""} {
		fault.Same(t, pattern, strings.Join(namesIn(pattern), " "), want)
	}
	var files []event.Path
	for i, want := range []int{1, 2, 3, 0} {
		files = append(files, event.Path(fmt.Sprintf("d%d/handler.go", i)))
		fault.Same(t, fmt.Sprint("of ", len(files)), len(filesSought(index.NewTree(files), nil, "**/handlers.go", nil)), want)
	}
}

// TestMeant: testdata/rescue.txt has a repository, and what failed accesses to it meant.
func TestMeant(t *testing.T) {
	tree := index.NewTree(nil)
	renamed := func(p event.Path) (event.Path, bool) {
		to, ok := map[event.Path]event.Path{"old/name.go": "new/name.go", "old/gone.go": "nowhere.go"}[p]
		return to, ok
	}
	for line := range strings.Lines(string(fault.Must(os.ReadFile("testdata/rescue.txt")))) {
		text, _, _ := strings.Cut(line, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if words[0] == "files" {
			tree.Add(eventtest.Paths(words[1:])...)
			continue
		}
		wrong, want := event.Path(strings.TrimPrefix(words[1], "-")), event.Path(strings.TrimPrefix(words[2], "-"))
		s, ok := meant(tree, renamed, wrong, event.Failure(words[0]))
		if s.File != want || ok != (want != "") {
			t.Errorf("%s (%s): got %q, want %q", wrong, words[0], s.File, want)
		}
		if ok && (!strings.Contains(s.Reasons[0].Text, wrong.Display()) || s.Reasons[0].With != wrong || s.Reasons[0].Value != 1 ||
			s.Reasons[0].Weight != 1 || s.Score != 1) {
			t.Errorf("%s: the reason does not say what was wrong: %s", wrong, s.Reasons[0].Text)
		}
	}
}
