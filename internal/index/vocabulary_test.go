package index

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// programText is a file of which every identifier, definition and word is new in each round.
func programText(round int) []byte {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "func word%sX%s() { other%sY%s() }\n", letters(round), letters(i), letters(round), letters(i))
	}
	return []byte(b.String())
}

// letters writes a number without digits, so that it is part of a word.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%05d", n))
}

// entries counts what a vocabulary keeps, in use or not.
func (l *vocabulary) entries() int { return len(l.numbers) + len(l.words) + len(l.files) }

func (c *Contents) entries() int {
	return c.words.entries() + c.identifiers.entries() + c.definitions.entries()
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestContentsOfManySaves: what is kept depends on what the files say now, not on how often they were saved.
func TestContentsOfManySaves(t *testing.T) {
	c := NewContents()
	c.Set("a.go", programText(0))
	c.Set("a.go", programText(1))
	entries, before := c.entries(), heap()
	for i := range 5000 {
		c.Set("a.go", programText(2+i))
	}
	if got := c.entries(); got > 2*entries {
		t.Errorf("%d entries after 5,000 saves of one file, %d after two", got, entries)
	}
	if after := heap(); after > before+(4<<20) {
		t.Errorf("the heap grew from %d kB to %d kB", before>>10, after>>10)
	}
	if got := c.Defining([]string{plainIdentifier("word" + letters(5001) + "x" + letters(7))}, 5); len(got) != 1 {
		t.Errorf("the last save defines %v", got)
	}
}

// TestContentsOfFewerFiles: when most of the files go, so does what was kept of them.
func TestContentsOfFewerFiles(t *testing.T) {
	c := NewContents()
	var all []event.Path
	for i := range 2000 {
		all = append(all, event.Path(fmt.Sprintf("d/f%d.go", i)))
		c.Set(all[i], append(programText(i), "func ____() {}"...)) // in plain form this name is empty
	}
	full := c.entries()
	c.Remove(all[20:]...)
	if got := c.entries(); c.Len() != 20 || got > full/20 {
		t.Errorf("%d entries of %d files, %d of 2,000 files", got, c.Len(), full)
	}
	for i := range 20 {
		if got := c.Identifiers([]string{plainIdentifier("other" + letters(i) + "y" + letters(7))}, 5); len(got) != 1 || got[0].Path != all[i] {
			t.Fatalf("an identifier of %s finds %v", all[i], got)
		}
		if got := c.Defining([]string{plainIdentifier("word" + letters(i) + "x" + letters(9))}, 5); len(got) != 1 || got[0].Path != all[i] {
			t.Fatalf("a definition of %s finds %v", all[i], got)
		}
	}
	c.Remove(all...)
	if got := c.entries(); got > full/20 {
		t.Errorf("%d entries of no file", got)
	}
}

// TestContentsAfterAnyChange: after random saves and removals every question has the answer that it has when the
// same files are entered anew.
func TestContentsAfterAnyChange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c, now := NewContents(), map[event.Path]string{}
	for step := range 3000 {
		var ps []event.Path
		for range 1 + r.IntN(6)*r.IntN(2)*r.IntN(60) {
			ps = append(ps, event.Path(fmt.Sprintf("d%d/f%d.go", r.IntN(3), r.IntN(60))))
		}
		if r.IntN(5) == 0 {
			c.Remove(ps...)
			for _, p := range ps {
				delete(now, p)
			}
		} else {
			text := fmt.Sprintf("func nameNumber%s() { callSome%s(); callSome%s() }", letters(r.IntN(500)), letters(r.IntN(500)), letters(r.IntN(500)))
			c.Set(ps[0], []byte(text))
			now[ps[0]] = text
		}
		if step%50 != 0 {
			continue
		}
		fresh := NewContents()
		for p, text := range now {
			fresh.Set(p, []byte(text))
		}
		if c.Len() != len(now) {
			t.Fatalf("step %d: %d files, want %d", step, c.Len(), len(now))
		}
		for i := range 500 {
			ident, def := plainIdentifier("callSome"+letters(i)), plainIdentifier("nameNumber"+letters(i))
			if got, want := fmt.Sprint(c.Identifiers([]string{ident, def}, 99)), fmt.Sprint(fresh.Identifiers([]string{ident, def}, 99)); got != want {
				t.Fatalf("step %d: %s and %s find %s, want %s", step, ident, def, got, want)
			}
			if got, want := fmt.Sprint(c.Defining([]string{def}, 99)), fmt.Sprint(fresh.Defining([]string{def}, 99)); got != want {
				t.Fatalf("step %d: %s is defined in %s, want %s", step, def, got, want)
			}
		}
		for p := range now {
			if got, want := fmt.Sprint(c.Called(p, 99)), fmt.Sprint(fresh.Called(p, 99)); got != want {
				t.Fatalf("step %d: %s calls %s, want %s", step, p, got, want)
			}
		}
	}
}

// TestContentsRemovedAtOnce: the cost of a removal grows with the number of files, not with its square: files are removed
// in few parts, whatever their number, and a part goes through the files of each word once.
func TestContentsRemovedAtOnce(t *testing.T) {
	for _, n := range []int{0, 1, 100, 10_000, 200_000} {
		parts, all := 0, make([]event.Path, n)
		for range removalSteps(all) {
			parts++
		}
		if parts > 20 {
			t.Errorf("%d files are removed in %d parts", n, parts)
		}
	}
	l, used := newVocabulary(3*2000), []posting(nil)
	const files = 2000
	for i := range uint32(files) {
		used = append(used, l.addAll(i, []string{"common", fmt.Sprint("often", i%3), fmt.Sprint("own", i)})...)
	}
	passed := 0
	l.remove(used, func(uint32) bool { passed++; return true })
	if passed > 3*files || len(l.numbers) != 0 {
		t.Errorf("%d entries passed to remove %d, %d words are left", passed, 3*files, len(l.numbers))
	}
}

// TestContentsAreBounded: beyond the number of files a new file is not kept, beyond the number of words a new word is not. What is
// known is followed, and what goes makes room.
func TestContentsAreBounded(t *testing.T) {
	c := newContents(2, 150)
	for i := range 4 {
		c.Set(event.Path(fmt.Sprintf("f%d.go", i)), programText(i))
	}
	if c.Len() != 2 {
		t.Errorf("%d files of at most 2", c.Len())
	}
	for name, v := range map[string]*vocabulary{"words": &c.words, "identifiers": &c.identifiers, "definitions": &c.definitions} {
		if len(v.numbers) > 150 || len(v.words) > 150 || len(v.files) > 150 {
			t.Errorf("%d %s of at most 150", len(v.numbers), name)
		}
	}
	if n := len(c.words.numbers); n != 150 {
		t.Errorf("%d words are kept, there is room for 150", n)
	}
	c.Set("f0.go", []byte("func newcomerName() {}"))
	c.Remove("f1.go")
	c.Set("f9.go", []byte("func anotherNewcomer() {}"))
	for name, want := range map[string]event.Path{"newcomername": "f0.go", "anothernewcomer": "f9.go"} {
		if got := c.Defining([]string{name}, 5); len(got) != 1 || got[0].Path != want {
			t.Errorf("%s is defined by %v, want %s", name, got, want)
		}
	}
	for i := range 4 {
		c.Remove(event.Path(fmt.Sprintf("f%d.go", i)), "f9.go")
	}
	if got := len(c.words.numbers) + len(c.identifiers.numbers) + len(c.definitions.numbers); got != 0 || c.length != 0 {
		t.Errorf("%d words of no file, length %v", got, c.length)
	}
}

// TestDocumentsAreBounded: of one file no more is kept than its bounds say, and a posting holds the largest numbers there can be.
func TestDocumentsAreBounded(t *testing.T) {
	c := newContents(maxFiles, maxVocabulary)
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "func name%s() { use%s%s() }\n", letters(i), letters(i), "Name")
	}
	c.Set("a.go", []byte(text.String()))
	d := c.documents[c.numbers["a.go"]]
	if len(d.words) != maxWords || len(d.identifiers) != maxIdentifiers || len(d.definitions) != maxDefinitions {
		t.Errorf("%d words, %d identifiers, %d definitions", len(d.words), len(d.identifiers), len(d.definitions))
	}
	for _, n := range []uint32{0, maxFiles - 1, maxVocabulary - 1} {
		if p := newPosting(n, 1000); p.number() != n || p.count() != 255 {
			t.Errorf("posting of %d, 1000 times: %d, %v times", n, p.number(), p.count())
		}
	}
}
