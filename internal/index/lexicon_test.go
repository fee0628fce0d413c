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

// entries counts what a lexicon keeps, in use or not.
func (l *lexicon) entries() int { return len(l.ids) + len(l.names) + len(l.users) }

func (c *Contents) entries() int { return c.words.entries() + c.idents.entries() + c.defs.entries() }

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
	if got := c.Defining([]string{plainIdent("word" + letters(5001) + "x" + letters(7))}, 5); len(got) != 1 {
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
		if got := c.Identifiers([]string{plainIdent("other" + letters(i) + "y" + letters(7))}, 5); len(got) != 1 || got[0].Path != all[i] {
			t.Fatalf("an identifier of %s finds %v", all[i], got)
		}
		if got := c.Defining([]string{plainIdent("word" + letters(i) + "x" + letters(9))}, 5); len(got) != 1 || got[0].Path != all[i] {
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
			ident, def := plainIdent("callSome"+letters(i)), plainIdent("nameNumber"+letters(i))
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
		for range removalParts(all) {
			parts++
		}
		if parts > 20 {
			t.Errorf("%d files are removed in %d parts", n, parts)
		}
	}
	l, used := newLexicon(), []use(nil)
	const files = 2000
	for i := range uint32(files) {
		used = append(used, l.enter(i, []string{"common", fmt.Sprint("often", i%3), fmt.Sprint("own", i)})...)
	}
	passed := 0
	l.drop(used, func(uint32) bool { passed++; return true })
	if passed > 3*files || len(l.ids) != 0 {
		t.Errorf("%d entries passed to remove %d, %d words are left", passed, 3*files, len(l.ids))
	}
}
