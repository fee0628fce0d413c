package prefetch

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSearcher: the files that a search meant: those that define its identifier, then those of
// nearly its name.
func TestSearcher(t *testing.T) {
	files := map[event.Path]string{"config/load.go": "package config\nfunc parseConfig() {}\n", "web/app.go": "package web\nvar x = parseConfig()\n",
		"server/handler.go": "package server\n"}
	c := index.NewContents()
	var all []event.Path
	for f, text := range files {
		all = append(all, f)
		c.Set(f, []byte(text))
	}
	s := Searcher{Tree: index.NewTree(all), Contents: c}
	for _, tt := range []struct {
		pattern string
		idents  []string
		want    []event.Path
	}{
		{"parseConfig", []string{"parseconfig"}, []event.Path{"config/load.go"}},
		{"**/handlers.go", nil, []event.Path{"server/handler.go"}},
		{"nothing of this kind", nil, nil},
	} {
		var got []event.Path
		for _, f := range s.Found(tt.pattern, tt.idents) {
			got = append(got, f.File)
		}
		fault.Same(t, tt.pattern, got, tt.want)
	}
	for pattern, want := range map[string]string{"**/handlers.go": `has nearly the name "handlers.go"`,
		"lost/handler.go": `is called "handler.go"`, "lost/handler*": `is called "handler"`} {
		found := s.Found(pattern, nil)
		if len(found) != 1 || found[0].Reasons[0].Text != want {
			t.Errorf("%s: %+v, want one that %s", pattern, found, want)
		}
	}
}

// TestUsual: what belongs to everything is no finding, by its name or because it changes as often
// without the file.
func TestUsual(t *testing.T) {
	for _, c := range []struct {
		file               event.Path
		without, ofWithout int
		usual              bool
	}{
		{"docs/json.md", 0, 400, false}, {"CHANGELOG.md", 0, 400, true}, {"go.sum", 0, 400, true},
		{"src/version.py", 180, 400, true}, {"src/version.py", 179, 400, false},
		{"src/version.py", usualLeast - 1, usualLeast - 1, false}, {"src/version.py", usualLeast, usualLeast, true},
	} {
		both := event.Together{With: "api/wire.go", Both: 9, Of: 10}
		fault.Same(t, fmt.Sprint(c), Usual(c.file, both, c.without, c.ofWithout), c.usual)
	}
}

// TestUsualIsApart: what belongs to everything stands apart in an answer, and takes no place of
// another file. Beside its manifest, a lock file is an answer like any other. What people are told
// stands beside the strongest fact.
func TestUsualIsApart(t *testing.T) {
	c := &history.Commits{}
	for i := range 60 {
		set := []event.Path{"CHANGELOG.md"}
		switch i % 3 {
		case 0:
			set = append(set, "api/wire.go", "docs/json.md")
		case 1:
			set = append(set, "go.mod", "go.sum")
		}
		c.Add("", set, nil)
	}
	p := New(NewState(), session.New(), nil, Options{})
	ask := func(f event.Path, most int) event.Answer {
		q := event.Query{Task: event.TaskChange, Files: []event.Path{f}, Limit: most, At: epoch}
		return p.Companions(q, history.Past{Commits: c}, func(event.Path) bool { return true }).Answer(t.Context())
	}
	a := ask("api/wire.go", 1)
	fault.Same(t, "suggested and usual", fmt.Sprint(len(a.Suggestions), a.Suggestions[0].File, " ", len(a.Usual), " ", a.Usual[0].File),
		"1docs/json.md 1 CHANGELOG.md")
	fault.Same(t, "all", len(a.All()), 2)
	if r := a.Suggestions[0].Reasons; len(r) != 1 || r[0].Text != "changed together in 20 of 20 commits" || r[0].Value*r[0].Weight <= 0 {
		t.Errorf("the reason is %+v", r)
	}
	if a.Confidence != a.Suggestions[0].Score {
		t.Errorf("the confidence is %v", a.Confidence)
	}
	a = ask("go.mod", 2)
	if a.Suggestions[0].File != "go.sum" && a.Suggestions[1].File != "go.sum" {
		t.Errorf("beside a manifest: %v", a.Suggestions)
	}
}
