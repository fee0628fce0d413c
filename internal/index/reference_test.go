package index_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBroken: testdata/references.txt has small repositories. "-- FILE --" begins a file, "-- FILE
// => --" what the change makes of it, "-- FILE => NEW --" what it renames it to, "-- FILE => - --"
// that it deletes it. What follows "-- want --" is broken.
func TestBroken(t *testing.T) {
	text := fault.Must(os.ReadFile("testdata/references.txt"))
	for repo := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		name, body, _ := strings.Cut(repo, "\n")
		if name == "" {
			continue
		}
		held, change, want := map[event.Path][]byte{}, []index.Changed{}, ""
		for part := range strings.SplitSeq("\n"+body, "\n-- ") {
			head, text, _ := strings.Cut(part, " --\n")
			file, to, changes := strings.Cut(head, " =>")
			p, to := event.Path(file), strings.TrimSpace(to)
			switch {
			case file == "":
			case file == "want":
				want = strings.TrimSpace(text)
			case !changes:
				held[p] = []byte(text + "\n")
			default:
				before, after := held[p], []byte(text+"\n")
				delete(held, p)
				switch to {
				case "":
					held[p] = after
				case "-":
					after = nil
				default:
					held[event.Path(to)] = after
					change = append(change, index.Compare(event.Path(to), nil, after))
					after = nil
				}
				change = append(change, index.Compare(p, before, after))
			}
		}
		w := index.World{Tree: index.NewTree(nil), Contents: index.NewContents(),
			Text: func(p event.Path) []byte { return held[p] }}
		for p, text := range held {
			w.Tree.Add(p)
			w.Contents.Set(p, text)
		}
		var got []string
		all, _ := w.BrokenBy(change)
		for _, b := range all {
			got = append(got, fmt.Sprintf("%s:%d: %s", b.File, b.Line, b.Text))
		}
		fault.Same(t, name, strings.Join(got, "\n"), want)
	}
}

// TestReadOnce: a file from which many others import all names, or a name that it passes on, is read once for them.
func TestReadOnce(t *testing.T) {
	reads, held := map[event.Path]int{}, map[event.Path][]byte{"pkg/gone.py": []byte("y = 1\n"),
		"pkg/mod.py": []byte("from pkg.gone import *\n"), "hub/__init__.py": []byte("from json import loads\n")}
	for i := range 30 {
		held[event.Path(fmt.Sprintf("use/u%d.py", i))] = []byte("from pkg.mod import *\nfrom hub import loads\ncompute_total(loads())\n")
	}
	w := index.World{Tree: index.NewTree(nil), Contents: index.NewContents(),
		Text: func(p event.Path) []byte { reads[p]++; return held[p] }}
	for p, text := range held {
		w.Tree.Add(p)
		w.Contents.Set(p, text)
	}
	all, _ := w.BrokenBy([]index.Changed{index.Compare("pkg/gone.py",
		[]byte("def compute_total(): pass\n\ndef loads(): pass\n"), held["pkg/gone.py"])})
	if len(all) != 30 || reads["pkg/mod.py"] > 2 || reads["hub/__init__.py"] > 2 {
		t.Errorf("%d found; read %v", len(all), reads)
	}
}

// TestLargeFiles: a name that goes from a program of MaxEdited bytes is missed elsewhere, one byte
// more says nothing.
func TestLargeFiles(t *testing.T) {
	use := []byte("package a\n\nfunc f() { drawTerminal() }\n")
	w := index.World{Tree: index.NewTree([]event.Path{"use.go"}), Contents: index.NewContents(),
		Text: func(event.Path) []byte { return use }}
	w.Contents.Set("use.go", use)
	for more, want := range []int{1, 0} {
		was := []byte("package a\n\nfunc drawTerminal() {}\n")
		was = append(was, strings.Repeat("/", index.MaxEdited-len(was)+more)...)
		all, _ := w.BrokenBy([]index.Changed{index.Compare("terminal.go", was, []byte("package a\n"))})
		fault.Same(t, fmt.Sprint(len(was), " bytes"), len(all), want)
	}
}

func FuzzBroken(f *testing.F) {
	f.Add("a.py", []byte("def names(): pass\n"), []byte("from a import (\nnames,\n"))
	f.Add("a.ts", []byte("export function names() {}\n"), []byte("import {\n names\n} from './a'\n${names}"))
	f.Add("a.rs", []byte("pub fn names() {}\n"), []byte("use super::{self,\n names};"))
	f.Add("a.go", []byte("func names() {}\n"), []byte("import (\n\"x/y/v2\"\n) names()"))
	f.Fuzz(func(t *testing.T, name string, def, use []byte) {
		p, err := event.NewPath(name)
		user := event.Path("user" + p.Ext())
		if err != nil || p == user {
			return
		}
		w := index.World{Tree: index.NewTree([]event.Path{user}), Contents: index.NewContents(),
			Text: func(event.Path) []byte { return use }}
		w.Contents.Set(user, use)
		all, _ := w.BrokenBy([]index.Changed{index.Compare(p, append([]byte{}, def...), nil)})
		for _, b := range all {
			if b.File != user || b.Line < 1 || b.Name == "" {
				t.Errorf("%+v", b)
			}
		}
	})
}

// TestPlacesAreBounded: a mass edit keeps a few lines, each once, and the strongest place is the
// answer.
func TestPlacesAreBounded(t *testing.T) {
	var d index.Differ
	for _, c := range "aabcdefghijkl" {
		d.Hunk(nil)
		d.Line(false, []byte("what was removed"))
		d.Line(true, []byte(strings.Repeat(string(c), 9)))
		d.Line(true, []byte(strings.Repeat(string(c), 8)))
	}
	p := d.Places()
	fault.Same(t, "places", len(p), 6)
	text := []byte("# one\naaaaaaaaa\n# two\nbbbbbbbbb\nccccccccc\n# three\naaaaaaaa\n")
	fault.Same(t, "two of three", index.PlaceOf("c.md", text, map[uint32]float64{p[0]: 1.5, p[1]: 1, p[2]: 1}).Symbol, "two")
	fault.Same(t, "one of three", index.PlaceOf("c.md", text, map[uint32]float64{p[0]: 2.5, p[1]: 1, p[2]: 1}).Symbol, "one")
	fault.Same(t, "three alike", index.PlaceOf("c.md", text, map[uint32]float64{p[0]: 1, p[1]: 1, hashOf("aaaaaaaa"): 1}), event.Place{})
	fault.Same(t, "equal ones", index.PlaceOf("c.md", text, map[uint32]float64{p[0]: 1, p[1]: 1}).Symbol, "one")
}

// hashOf is the place of a line that a diff added.
func hashOf(line string) uint32 {
	var d index.Differ
	d.Hunk(nil)
	d.Line(true, []byte(line))
	return d.Places()[0]
}

// TestFrames: testdata/frames.txt has a trace or an error of each language and tool. The line before
// it, "=== NAME: FILES", has the files of its frames, the innermost first.
func TestFrames(t *testing.T) {
	_, texts, _ := strings.Cut(string(fault.Must(os.ReadFile("testdata/frames.txt"))), "=== ")
	for trace := range strings.SplitSeq(texts, "\n=== ") {
		head, text, _ := strings.Cut(trace, "\n")
		name, want, _ := strings.Cut(head, ": ")
		fault.Same(t, name, strings.Join(index.ParseText(text+"\n").Frames, ", "), want)
	}
}

// FuzzParseText: in any text the lists are bounded, and all names can be resolved.
func FuzzParseText(f *testing.F) {
	for _, text := range []string{"File \"a.py\", line 3, in f\n", "\tx.go:1 +0x1\n", "at a.b.C.m(C.java:12)", "<!-- ", "`x` --a-b a::b C:\\x.cs:3 HEAD:a.go a.go:", "```\n#0 x at y.c:1",
		"a->b $x.y() https://a/blob/b/c", "\xff:\xff.py:1", "99999999999999999999.go:99999999999999999999"} {
		f.Add(text)
	}
	tree := index.NewTree([]event.Path{"a/b/c.go", "a/__init__.py", "x.py"})
	f.Fuzz(func(t *testing.T, text string) {
		p := index.ParseText(text)
		for _, list := range [][]string{p.Identifiers, p.TitleIdentifiers, p.Dotted, p.Paths} {
			if len(list) > 512 {
				t.Fatalf("%d entries", len(list))
			}
			for _, name := range list {
				if name == "" || len((&index.Locator{Tree: tree}).Files(name)) > 3 {
					t.Fatalf("%q names %q", text, name)
				}
			}
		}
		for i := range p.Body {
			if p.Body[i].N < 1 || i > 0 && p.Body[i-1].Stem >= p.Body[i].Stem {
				t.Fatalf("words of %q: %v", text, p.Body)
			}
		}
	})
}

func TestPhrases(t *testing.T) {
	text := index.ParseText("config: parse the retry budget\n\nkeep comments")
	want := [][2]string{{"config", "parse"}, {"parse", "retr"}, {"retr", "budget"}, {"keep", "comment"}}
	fault.Same(t, "pairs", text.Pairs, want)
	values := text.Phrases([][]byte{
		[]byte("budget := retry\n"), // in the other order
		[]byte("func retryBudgets() {}\n"),
		[]byte("retry\nbudget\n"), // in two lines
		[]byte("// the retry of a budget, and retry_budget again\nkeepComments(x)\n"),
		nil,
	})
	one, two := math.Log1p(5), math.Log1p(5./2)/math.Sqrt2
	for i, want := range []float64{0, two, 0, two + one, 0} {
		if math.Abs(values[i]-want) > 1e-12 {
			t.Errorf("file %d: %v, want %v", i, values[i], want)
		}
	}
	fault.Same(t, "a text without pairs", (index.Text{}).Phrases(make([][]byte, 2)), []float64{0, 0})
}
