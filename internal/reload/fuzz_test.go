package reload

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// FuzzDecode: no stored row breaks its reader, and what is read can be stored and read again.
func FuzzDecode(f *testing.F) {
	stored, err := codec.Encode(Entry{ID: "cache-x", Text: "explain", Actions: make([]Action, 1), Uses: 3})
	fault.Check(f, err)
	f.Add(stored)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode(data)
		if err != nil {
			return
		}
		e.Summary = summary(e)
		for _, a := range e.Actions {
			_, _ = a.what(), e.note(a)
		}
		raw, err := codec.Encode(e)
		fault.Check(t, err)
		again, err := decode(raw)
		if err != nil || again.ID != e.ID || len(again.Actions) != len(e.Actions) || len(e.Summary) > 160 {
			t.Errorf("%+v is read again as %+v, %v", e, again, err)
		}
	})
}

// FuzzGlob: a glob that is not well formed fits nothing, and a name without special characters fits
// itself, and by its last part, but no longer name.
func FuzzGlob(f *testing.F) {
	for _, s := range []string{"**/*.go", "*.{ts,tsx}", "[a-z]?", "[!a]", "a/**/b", "{", "[", `\`, "**"} {
		f.Add(s, "a/b/c.go")
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		if glob != "" && matchGlob(glob, name) && !doublestar.ValidatePattern(glob) {
			t.Errorf("%q is not well formed, and fits %q", glob, name)
		}
		p, err := event.NewPath(name)
		if err != nil || strings.ContainsAny(name, `*?[]{}\`) {
			return
		}
		name = string(p)
		if !matchGlob(name, name) || !matchGlob(p.Base(), name) || matchGlob(name+"x", name) {
			t.Errorf("%q does not fit itself or its last part, or fits more", name)
		}
	})
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"*.go", "a/b.go", true}, {"a/*.go", "a/b.go", true}, {"a/*.go", "a/b/c.go", false}, {"a/**/*.go",
		"a/b/c.go", true},
		{"**/*.go", "c.go", true},
		{"*.{ts,tsx}", "x.tsx", true}, {"*.{ts,tsx}", "x.js", false}, {"[!a].go", "b.go", true}, {"[!a].go", "a.go", false},
		{"", "x", true}} {
		fault.Same(t, fmt.Sprintf("%q fits %q", c.pattern, c.name), matchGlob(c.pattern, c.name), c.want)
	}
}
