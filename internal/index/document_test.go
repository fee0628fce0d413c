package index_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestExtractLanguages: testdata/languages.txt has a program of each language. The line before it,
// "FILE: NAMES | WORDS", holds the names that it defines and the stems of its comments.
func TestExtractLanguages(t *testing.T) {
	text := fault.Must(os.ReadFile("testdata/languages.txt"))
	for program := range strings.SplitSeq(string(text), "\n=== ") {
		head, body, _ := strings.Cut(program, "\n")
		file, want, _ := strings.Cut(strings.TrimPrefix(head, "=== "), ":")
		names, prose, _ := strings.Cut(want, "|")
		d := index.Extract(event.Path(file), []byte(body))
		fault.Same(t, file+" defines", d.Defines, strings.Fields(names))
		var got []string
		for _, term := range d.Terms {
			if term.Prose > 0 {
				got = append(got, term.Stem)
			}
		}
		fault.Same(t, "words in the comments of "+file, got, strings.Fields(prose))
	}
}

// TestNothingToExtract: binary, long and generated files have no words, and a package no endless name.
func TestNothingToExtract(t *testing.T) {
	long := strings.Repeat("parse", 1<<12)
	for file, text := range map[event.Path]string{"c.js": long, "d.json": long, "e.go": strings.Repeat("parse\n", 1<<20/5)} {
		d := index.Extract(file, []byte(text))
		fault.Same(t, string(file), []int{len(d.Terms), int(d.Size)}, []int{0, 0})
	}
	d := index.Extract("a/go.mod", []byte("module "+long+strings.Repeat("\n", 1<<10)))
	fault.Same(t, "names of a package with a long name", len(d.Uses), 0)
	p := index.ParseText(strings.Repeat("日本語 ", 1<<20))
	fault.Same(t, "words and pairs of a long text", []int{int(p.Words), len(p.Pairs)}, []int{39321, 3})
}

// FuzzExtract: in any text each word of a field is one of the body, and all lists are sorted or
// without repetition.
func FuzzExtract(f *testing.F) {
	for i, text := range []string{"package a\n\nvar (\n\tx = `\n", "def f():\n '''x", "func (", "typedef struct", "x(\n", "/* a\n*/ int f() {", "a = (", "=begin\n",
		"class A::B < C\nattr_reader :a, :b", "export const x = async (", "[", "@", "fun <", "日本語 テスト naïve", "\"", "'\\", "--[[ ]]", "create table",
		"private <T> Get<T>() {", "using X", "enum class ", "  foo(a) {", "x = \"", "x = ''"} {
		f.Add(uint8(i), text)
	}
	exts := strings.Fields(".go .py .ts .rs .java .c .cs .rb .php .kt .swift .sh .lua .sql .md .x .hs .ex .html .json")
	f.Fuzz(func(t *testing.T, ext uint8, text string) {
		d := index.Extract(event.Path("a"+exts[int(ext)%len(exts)]), []byte(text))
		for i, term := range d.Terms {
			if term.Stem == "" || term.Body == 0 || term.Prose > term.Body || i > 0 && d.Terms[i-1].Stem >= term.Stem {
				t.Fatalf("term %d of %q: %v", i, text, term)
			}
			if utf8.ValidString(text) && len(text) < 64 && !utf8.ValidString(term.Stem) {
				t.Fatalf("%q gave %q", text, term.Stem)
			}
		}
		for i, name := range d.Defines {
			if slices.Contains(d.Defines[:i], name) || slices.Contains(d.Uses, name) {
				t.Fatalf("%q defines %q twice, or uses it", text, name)
			}
		}
		again := index.Extract(event.Path("a"+exts[int(ext)%len(exts)]), []byte(text))
		fault.Same(t, "read again", again, d)
	})
}
