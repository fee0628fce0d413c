package prefetch

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
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
