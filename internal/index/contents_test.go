package index

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// withName returns the files that have an identifier, by path.
func (c *Contents) withName(name string) (out []event.Path) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for file := range c.having(termHash(name)) {
		out = append(out, c.path(file))
	}
	slices.Sort(out)
	return out
}

// library is three files that belong together and some that do not.
func library() *Contents {
	c := NewContents()
	c.Set("retry/backoff.go", []byte("package retry\nfunc NextBackoff(attempt int) time.Duration { return jitterDelay(attempt) }"))
	c.Set("client/send.go", []byte("package client\nfunc sendRequest() { retry.NextBackoff(3); openSocket() }"))
	c.Set("docs/notes.md", []byte("How a request is sent, and how long to wait."))
	for i := range 8 {
		c.Set(event.Path(fmt.Sprintf("other/f%d.go", i)), []byte(fmt.Sprintf("package other\nfunc unrelatedThing%d() {}", i)))
	}
	return c
}

// programText is a file of which every identifier, definition and word is new in each round.
func programText(round int) []byte {
	var b strings.Builder
	for i := range 25 {
		fmt.Fprintf(&b, "func word%sX%s() { other%sY%s() }\n", letters(round), letters(i), letters(round), letters(i))
	}
	return []byte(b.String())
}

// letters writes a number without digits, so that it is part of a word.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%05d", n))
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the second one drops what extraction knows of tokens
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// held counts the bytes of all segments.
func (c *Contents) held() (n int) {
	for _, s := range c.segments {
		n += s.bytes()
	}
	return n
}

// TestContentsOfManySaves: what is kept depends on what the files say now, not on how often they
// were saved.
func TestContentsOfManySaves(t *testing.T) {
	c := NewContents()
	for i := range 100 {
		c.Set(event.Path(fmt.Sprintf("f%d.go", i)), programText(i))
	}
	kept, before := c.held(), heap()
	for i := range 600 {
		c.Set(event.Path(fmt.Sprintf("f%d.go", i%7)), programText(100+i))
	}
	if got := c.held(); got > 2*kept || got != c.bytes || len(c.segments) > 100 {
		t.Errorf("%d bytes in %d segments after 600 saves (%d are counted), %d before",
			got, len(c.segments), c.bytes, kept)
	}
	if after := heap(); after > before+(1<<20) {
		t.Errorf("the heap grew from %d kB to %d kB", before>>10, after>>10)
	}
	if got := c.withName(plainIdentifier("word" + letters(699) + "x" + letters(7))); len(got) != 1 {
		t.Errorf("the last save defines %v", got)
	}
}

// TestContentsAfterAnyChange: after random saves, removals and merges every question has the answer
// that it has when the same files are entered again.
func TestContentsAfterAnyChange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c, now := NewContents(), map[event.Path]string{}
	for step := range 3000 {
		var ps []event.Path
		for range 1 + r.IntN(6)*r.IntN(2)*r.IntN(60) {
			ps = append(ps, event.Path(fmt.Sprintf("d%d/f%d.go", r.IntN(3), r.IntN(60))))
		}
		switch {
		case r.IntN(5) == 0:
			c.Remove(ps...)
			for _, p := range ps {
				delete(now, p)
			}
		case r.IntN(50) == 0:
			c.fold([]float64{0, packAt, foldAt}[r.IntN(3)])
		default:
			text := fmt.Sprintf("// about %s\nfunc nameNumber%s() { callSome%s(); callSome%s(); callSome%s() }",
				letters(r.IntN(9)), letters(r.IntN(500)), letters(r.IntN(500)), letters(r.IntN(500)), letters(r.IntN(20)))
			c.set(ps[0], []byte(text))
			now[ps[0]] = text
		}
		if step%50 == 0 {
			fresh := NewContents()
			for p, text := range now {
				fresh.Set(p, []byte(text))
			}
			sameAnswers(t, step, c, fresh, now)
		}
	}
}

func sameAnswers(t *testing.T, step int, got, want *Contents, files map[event.Path]string) {
	t.Helper()
	if got.Len() != want.Len() || !reflect.DeepEqual(got.named, want.named) || got.lengths != want.lengths {
		t.Fatalf("step %d: %d files, want %d", step, got.Len(), want.Len())
	}
	for i := range 25 {
		text := ParseText(fmt.Sprintf("callSome%s fails\n\nin nameNumber%s, callSome%s and %s",
			letters(i), letters(20*i), letters(i+99), letters(i)))
		a, b := got.Match(text), want.Match(text)
		for _, fits := range [][]Fit{a, b} {
			slices.SortFunc(fits, func(a, b Fit) int { return strings.Compare(string(a.Path), string(b.Path)) })
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("step %d: the text %d finds\n%v, want\n%v", step, i, a, b)
		}
	}
	for p := range files {
		if a, b := got.Called(p, 99), want.Called(p, 99); !reflect.DeepEqual(a, b) {
			t.Fatalf("step %d: %s calls %v, want %v", step, p, a, b)
		}
		if a, b := got.Alike(p, 99), want.Alike(p, 99); !reflect.DeepEqual(a, b) {
			t.Fatalf("step %d: %s is like %v, want %v", step, p, a, b)
		}
		if a, b := got.Size(p), want.Size(p); a != b {
			t.Fatalf("step %d: %s has %v words, want %v", step, p, a, b)
		}
	}
}

// TestContentsChangeDuringMerge: a file that is saved or removed while segments are merged is as it
// is afterwards.
func TestContentsChangeDuringMerge(t *testing.T) {
	c, now := NewContents(), map[event.Path]string{}
	set := func(p event.Path, text string) {
		c.set(p, []byte(text))
		now[p] = text
	}
	for i := range 40 {
		set(event.Path(fmt.Sprintf("f%d.go", i)), fmt.Sprintf("func nameNumber%s() { callSome%s() }", letters(20*i),
			letters(i)))
	}
	parts := partsOf(c.segments)
	c.merging.Lock() // as merge does
	set("f3.go", "func nameNumberzzz() {}")
	set("new.go", "func nameNumberaaaaa() { callSomeaaaab() }")
	c.Remove("f5.go")
	delete(now, "f5.go")
	c.replace(parts)
	c.merging.Unlock()
	fresh := NewContents()
	for p, text := range now {
		fresh.Set(p, []byte(text))
	}
	sameAnswers(t, 0, c, fresh, now)
	if c.bytes != c.held() {
		t.Errorf("%d bytes are counted, %d held", c.bytes, c.held())
	}
}

// TestContentsAreBounded: beyond the number of files, or of bytes, a new file is not kept. What is
// known is followed, and what goes makes space.
func TestContentsAreBounded(t *testing.T) {
	c := newContents(2, maxBytes)
	fault.Same(t, "fits of no files", len(c.Match(ParseText("backoff"))), 0)
	for i := range 4 {
		c.Set(event.Path(fmt.Sprintf("f%d.go", i)), programText(i))
	}
	if c.Len() != 2 {
		t.Errorf("%d files of at most 2", c.Len())
	}
	c.Set("f0.go", []byte("func newcomerName() {}"))
	c.Remove("f1.go")
	c.Set("f9.go", []byte("func anotherNewcomer() {}"))
	for name, want := range map[string]event.Path{"newcomername": "f0.go", "anothernewcomer": "f9.go"} {
		if got := c.withName(name); !slices.Equal(got, []event.Path{want}) {
			t.Errorf("%s is in %v, want %s", name, got, want)
		}
	}
	one := c.bytes
	c = newContents(maxFiles, 100*one)
	for i := range 5000 {
		c.Set(event.Path(fmt.Sprintf("f%d.go", i)), []byte(fmt.Sprintf("func newcomer%s() {}", letters(i))))
	}
	if c.held() > 100*one || c.Len() < 50 || c.Len() == 5000 {
		t.Errorf("%d files in %d bytes of at most %d", c.Len(), c.held(), 100*one)
	}
}

// Len returns the number of files.
func (c *Contents) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.files)
}

func (k FileKind) String() string {
	return [...]string{"source", "test", "prose", "data", "binary"}[min(k, KindBinary)]
}

// TestDefinitionFor: testdata/definitions.txt has programs, and the definition in each that a text
// speaks of.
func TestDefinitionFor(t *testing.T) {
	c := NewContents()
	for _, p := range []event.Path{"ctx.py", "load.go", "app.ts", "notes.md", "a.py"} {
		c.Set(p, []byte("text"))
	}
	_, all, _ := strings.Cut(string(fault.Must(os.ReadFile("testdata/definitions.txt"))), "=== ")
	for part := range strings.SplitSeq(all, "\n=== ") {
		head, program, _ := strings.Cut(part, "\n")
		head, want, _ := strings.Cut(head, " => ")
		file, text, _ := strings.Cut(head, ": ")
		d, ok := c.DefinitionFor(event.Path(file), []byte(program+"\n"), ParseText(text))
		fault.Same(t, text, fmt.Sprintf("%s, %d", cmp.Or(d.Symbol, "-"), d.Line), want)
		fault.Same(t, text+": it speaks of one", ok, d.Line > 0)
	}
	if d, ok := DefinitionOf("a.py", []byte("class Bag:\n    def load_all(self): pass\n"), "loadall"); !ok || d != (event.Place{Line: 2, Symbol: "Bag.load_all"}) {
		t.Errorf("by name: %+v", d)
	}
	if d, ok := DefinitionOf("a.py", []byte("def ab(): pass\n"), "ab"); !ok || d.Line != 1 {
		t.Errorf("of two letters: %+v, %v", d, ok)
	}
	many := ""
	for i := range 2001 {
		many += fmt.Sprintf("def name%d(): pass\n", i)
	}
	for name, want := range map[string]bool{"name1999": true, "name2000": false} {
		if _, ok := DefinitionOf("a.py", []byte(many), name); ok != want {
			t.Errorf("%s of 2,001 is found: %v", name, ok)
		}
	}
	// else each slash of a long line is followed to its end
	fault.Same(t, "long regular expression", regularExpression([]byte("="), []byte("/"+strings.Repeat("x", maxRegular)+"/")), 0)
}

// TestImportsGolden compares what the programs of testdata/imports.txt import, and which of its
// files that means, with a golden file, so that no rule of a language changes unseen.
func TestImportsGolden(t *testing.T) {
	raw := fault.Must(os.ReadFile("testdata/imports.txt"))
	tree, contents, texts := NewTree(nil), NewContents(), map[event.Path]string{}
	for part := range strings.SplitSeq("\n"+string(raw), "\n-- ") {
		if name, text, found := strings.Cut(part, " --"); found {
			tree.Add(event.Path(name))
			texts[event.Path(name)] = strings.TrimPrefix(text, "\n") + "\n"
			contents.Set(event.Path(name), []byte(texts[event.Path(name)]))
		}
	}
	var b strings.Builder
	for _, root := range []string{"example.com/shop", ""} {
		tree.Remove("go.mod")
		contents.Remove("go.mod")
		if root != "" {
			tree.Add("go.mod")
			contents.Set("go.mod", []byte("module "+root))
		}
		read := func(p event.Path) []byte { return []byte(texts[p]) }
		all := files{newManifests(World{Tree: tree, Contents: contents, Text: read}, nil), nil}
		for _, p := range slices.Sorted(maps.Keys(texts)) {
			lang := languageOf(p)
			if lang == nil || root == "" && p.Ext() != ".go" {
				continue
			}
			for _, i := range importsIn(lang, []byte(texts[p])) {
				fmt.Fprintf(&b, "%s:%d %q", p, i.line, i.module)
				for _, n := range i.names {
					fmt.Fprintf(&b, " %s=%s@%d", n.local, n.name, n.line)
				}
				targets := all.targetsOf(p, lang, i.module)
				slices.Sort(targets)
				fmt.Fprintf(&b, " all %v keys %q → %v\n", i.all, i.keys(lang), targets)
			}
		}
	}
	fault.Golden(t, "testdata/imports.golden", b.String())
}
