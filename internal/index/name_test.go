package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestNames: testdata/names.txt has small repositories, and what names mean in them.
func TestNames(t *testing.T) {
	rungs := map[string]Rung{"none": None, "exact": Exact, "root": Root, "below": Below, "end": End, "line": Line, "base": Base,
		"form": Form, "spelling": Spelling}
	var tree *Tree
	for line := range strings.Lines(string(fault.Must(os.ReadFile("testdata/names.txt")))) {
		text, _, _ := strings.Cut(" "+line, " # ")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		for i, w := range words {
			words[i] = strings.ReplaceAll(strings.TrimPrefix(w, "-"), "␣", " ")
		}
		name := words[1]
		l := NewLocator(tree, nil, "/repo", "/repo")
		switch what := words[0]; what {
		case "tree":
			tree = NewTree(eventtest.Paths(words[1:]))
		case "also":
			tree.Add(eventtest.Paths(words[1:])...)
		case "find":
			l = NewLocator(tree, nil, path.Join("/repo", words[2]), "/repo")
			found(t, l, name, event.Path(words[3]), rungs[words[4]])
		case "near":
			fault.Same(t, name, fmt.Sprint(l.Near(name, 3)), fmt.Sprint(words[2:]))
		case "files":
			fault.Same(t, what+" "+name, fmt.Sprint((&Locator{Tree: tree}).Files(name)), fmt.Sprint(words[2:]))
		default:
			t.Fatalf("a line that begins with %s", what)
		}
	}
	if p, at := (&Locator{}).Find("a.go", Exact, Spelling); at != None || len((&Locator{}).Near("a.go", 3)) > 0 {
		t.Errorf("without files: %s", p)
	}
	tree = NewTree(eventtest.Paths([]string{"web/server.go", "api/server.go"}))
	if p, _ := NewLocator(tree, nil, "/repo", "/repo").Find("server.go", Exact, End, "/repo/docs", "/repo/web"); p != "web/server.go" {
		t.Errorf("in two folders: %q", p)
	}
}

// found checks that a name means a file on one rung, and on none before it or after it.
func found(t *testing.T, l *Locator, name string, want event.Path, rung Rung) {
	t.Helper()
	if p, at := l.Find(name, Exact, Spelling); p != want || at != rung {
		t.Errorf("%s means %q on rung %d, want %q on %d", name, p, at, want, rung)
	}
	if p, at := l.Find(name, Exact, rung-1); rung > Exact && at != None {
		t.Errorf("%s means %q on rung %d before %d", name, p, at, rung)
	}
	if p, at := l.Find(name, rung+1, Spelling); rung >= Base && at != None && at <= rung {
		t.Errorf("%s means %q on rung %d after %d", name, p, at, rung)
	}
}

// TestWordIsRefilled: files for which the list of a word had no place are found when others have
// gone.
func TestWordIsRefilled(t *testing.T) {
	var paths []event.Path
	for i := range 300 {
		paths = append(paths, event.Path(fmt.Sprintf("orders/%03d.go", i)))
	}
	for left := range 150 {
		tree := NewTree(paths)
		tree.Word("order")
		tree.Remove(paths[:100]...)
		tree.Remove(paths[100 : 300-left]...)
		if n := len(tree.Word("order")); n != left {
			t.Fatalf("of %d files that are left the word finds %d", left, n)
		}
	}
}

// sortedPaths is a copy in order, without the caller's list being changed.
func sortedPaths(ps []event.Path) []event.Path {
	out := slices.Clone(ps)
	slices.Sort(out)
	return out
}

// TestTreeAfterAnyChange: after random additions, removals and renames, of single files and of
// folders, every question has the answer that follows from the files there are.
func TestTreeAfterAnyChange(t *testing.T) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 1))
		tree, files := NewTree(nil), map[event.Path]bool{}
		if seed%2 == 0 {
			tree.Word("") // half of the trees have their index of words from the beginning
		}
		pick := func() event.Path {
			return event.Path(fmt.Sprintf("d%d/e%d/name%c_%d.go", r.IntN(2), r.IntN(2), 'a'+rune(r.IntN(4)), r.IntN(80)))
		}
		for step := range 300 {
			var ps, to []event.Path
			for range 1 + r.IntN(2)*r.IntN(200) {
				ps = append(ps, pick())
			}
			switch r.IntN(5) {
			case 0, 1:
				tree.Add(ps...)
				for _, p := range ps {
					files[p] = true
				}
			case 2, 3:
				tree.Remove(ps...)
				for _, p := range ps {
					delete(files, p)
				}
			case 4: // a folder gets another name
				from, into := fmt.Sprintf("d%d/e%d", r.IntN(2), r.IntN(2)), fmt.Sprintf("d%d/e%d", r.IntN(2), r.IntN(2))
				ps = ps[:0]
				for p := range files {
					if p.Dir() == from {
						ps, to = append(ps, p), append(to, event.Path(into+"/"+p.Base()))
					}
				}
				tree.Remove(ps...)
				tree.Add(to...)
				for _, p := range ps {
					delete(files, p)
				}
				for _, p := range to {
					files[p] = true
				}
			}
			compareTree(t, tree, files, r, pick, step)
		}
	}
}

// compareTree asks for a few files and folders, and every now and then for all of them.
func compareTree(t *testing.T, tree *Tree, files map[event.Path]bool, r *rand.Rand, pick func() event.Path,
	step int) {
	t.Helper()
	if p := pick(); tree.Has(p) != files[p] || tree.Len() != len(files) {
		t.Fatalf("step %d: has %s: %v, %d files, want %v, %d", step, p, tree.Has(p), tree.Len(), files[p], len(files))
	}
	if r.IntN(4) > 0 {
		return // what was removed is looked for later
	}
	some := []event.Path{pick(), pick(), pick()}
	if r.IntN(25) == 0 {
		some = slices.AppendSeq(some, maps.Keys(files))
	}
	for _, p := range some {
		var base, dir, stem []event.Path
		for q := range files {
			if q.Base() == p.Base() {
				base = append(base, q)
			}
			if q.Dir() == p.Dir() {
				dir = append(dir, q)
			}
			if q.Stem() == p.Stem() {
				stem = append(stem, q)
			}
		}
		for what, lists := range map[string][2][]event.Path{"base": {tree.Base(p.Base()), base},
			"dir": {tree.Dir(p.Dir()), dir}, "stem": {tree.Stem(p), stem}} {
			if got, want := sortedPaths(lists[0]), sortedPaths(lists[1]); !slices.Equal(got, want) {
				t.Fatalf("step %d: %s of %s: %d files, want %d", step, what, p, len(got), len(want))
			}
		}
		if got := (&Locator{Tree: tree}).Files(p.Base()); len(base) <= maxMeant && !slices.Equal(sortedPaths(got), sortedPaths(base)) {
			t.Fatalf("step %d: %s means %q, %d files have that name", step, p.Base(), got, len(base))
		}
	}
	if all := sortedPaths(tree.All()); !slices.Equal(all, slices.Sorted(maps.Keys(files))) {
		t.Fatalf("step %d: %d files, want %d", step, len(all), len(files))
	}
	word := sortedPaths(tree.Word("namea"))
	for q := range files {
		if found := slices.Contains(word, q); found != strings.HasPrefix(q.Base(),
			"namea") && (found || len(files) <= 256) {
			t.Fatalf("step %d: the word finds %s: %v", step, q, found)
		}
	}
	if len(word) > 256 || len(slices.Compact(word)) != len(word) || slices.ContainsFunc(word,
		func(p event.Path) bool { return !files[p] }) {
		t.Fatalf("step %d: the word finds a file that is gone, one twice, or too many: %q", step, word)
	}
}

// TestTreeListsStay: a list that a question got does not change when files are removed and added.
func TestTreeListsStay(t *testing.T) {
	var paths []event.Path
	for i := range 2000 {
		paths = append(paths, event.Path(fmt.Sprintf("d/f%d.go", i)))
	}
	tree := NewTree(paths)
	list := tree.Dir("d")
	before := slices.Clone(list)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for i := range 200 {
				for _, p := range tree.Dir("d") {
					if p == "" {
						t.Errorf("an empty path at question %d", i)
					}
				}
			}
		})
	}
	for i, p := range paths {
		tree.Remove(p)
		if i%3 == 0 {
			tree.Add(p)
		}
		tree.Add(event.Path(fmt.Sprintf("d/new%d.go", i)))
	}
	readers.Wait()
	if !slices.Equal(list, before) {
		t.Error("the list that was given out has changed")
	}
	if got := len(tree.Dir("d")); got != tree.Len() || got != 2000+667 {
		t.Errorf("%d files in the folder, %d in the tree", got, tree.Len())
	}
}
