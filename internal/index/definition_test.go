package index

import (
	"slices"
	"strings"
	"testing"
)

func TestDefinitions(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"go", "func Open(path string) {}\nfunc (s *Store) SaveAll() {}\ntype Reader struct{}\nvar cacheSize = 3\n\tvar inner = 2\n", "open saveall reader cachesize"},
		{"ts", "export default async function loadPage() {}\nexport const maxItems = 4\n  const local = 1\nexport const enum Color {}\n", "loadpage maxitems color"},
		{"py", "class Parser:\n    def parse_line(self):\n        value = 1\n", "parser parseline"},
		{"rs", "pub(crate) fn not_found() {}\npub struct Frame;\nimpl Frame {\n    pub fn decode() {}\n}\n", "frame decode"},
		{"c", "#define MAX_SIZE 3\nstruct buffer { int n; };\n", "maxsize buffer"},
		{"prose", "the class of problems, if one function calls another\n", ""},
	} {
		if got := strings.Join(definitions([]byte(c.text)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.lang, got, c.want)
		}
	}
}

func FuzzDefinitions(f *testing.F) {
	f.Add([]byte("func (r *T) Name() {}\nexport const enum X"))
	f.Add([]byte("func ("))
	f.Fuzz(func(t *testing.T, text []byte) {
		names := definitions(text)
		if len(names) > maxDefinitions {
			t.Errorf("%d names", len(names))
		}
		for i, n := range names {
			if n != plainIdentifier(n) || slices.Contains(names[:i], n) {
				t.Errorf("name %q of %q", n, names)
			}
		}
	})
}

func TestDefiningFiles(t *testing.T) {
	c := NewContents()
	c.Set("store.go", []byte("package store\nfunc OpenStore() {}\nfunc closeStore() {}\n"))
	c.Set("main.go", []byte("package main\nfunc main() { OpenStore(); closeStore() }\n"))
	c.Set("notes.md", []byte("func OpenStore is described here\n"))
	if got := c.Defining([]string{"openstore", "nobody"}, 5); len(got) != 1 || got[0].Path != "store.go" || got[0].Weight != 1 {
		t.Errorf("defining: %v", got)
	}
	if got := c.Called("main.go", 5); len(got) != 1 || got[0].Path != "store.go" || got[0].Weight != 2 {
		t.Errorf("called: %v", got)
	}
	if c.Size("main.go") == 0 || c.Size("gone.go") != 0 {
		t.Errorf("sizes %v, %v", c.Size("main.go"), c.Size("gone.go"))
	}
	c.Remove("store.go")
	if got := c.Called("main.go", 5); len(got) != 0 {
		t.Errorf("a removed file defines: %v", got)
	}
}
