package reload

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// FuzzDecode: no stored row breaks its reader.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"cache-x","text":"explain","actions":[{}],"uses":3}`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode(data)
		if err != nil {
			return
		}
		e.Summary = summary(e)
		for _, a := range e.Actions {
			_, _ = a.what(), a.note()
		}
	})
}

// FuzzGlob: a name without special characters fits itself, at the root and at any depth, whatever the glob before it
// was; and a glob that fits a name also fits it as one of two choices.
func FuzzGlob(f *testing.F) {
	for _, s := range []string{"**/*.go", "*.{ts,tsx}", "[a-z]?", "[!a]", "a/**/b", "{", "[", `\\`, "**"} {
		f.Add(s, "a/b/c.go")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		fits := matchGlob(pattern, name)
		if fits && pattern != "" && !matchGlob("{"+strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")+",x}",
			name) &&
			strings.Contains(pattern, "/") && !strings.ContainsAny(pattern, `,{}\\[]`) {
			t.Errorf("%q fits %q, and does not as a choice", pattern, name)
		}
		if plain := !strings.ContainsAny(name,
			`*?[]{}\\,!`) && path.Clean("/"+name) == "/"+name && utf8.ValidString(name); plain && name != "" {
			if !matchGlob(name, name) || !matchGlob("**/"+path.Base(name), name) || !matchGlob(path.Base(name),
				name) || matchGlob(name+"x", name) {
				t.Errorf("%q does not fit itself, or fits more", name)
			}
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
