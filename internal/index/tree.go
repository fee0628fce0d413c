package index

import (
	"maps"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Tree is the set of files that may be suggested: those that git tracks in a worktree, and new ones
// that git does not ignore. It finds files by name, folder, stem and word, and reads nothing from
// disk. It is safe for concurrent use. Callers must not change the slices that it returns, because
// they are shared.
type Tree struct {
	mu      sync.RWMutex // guards the fields below
	version uint64       // grows with every change
	files   map[event.Path]bool
	base    pathLists // the files with each base name
	dir     pathLists // the files in each folder
	stem    pathLists // the files with each Stem
	// the files with each term in the path, at most maxWordPaths each; nil until the first call of
	// Word
	words pathLists
	full  map[string]bool // words that are in more paths than their list has room for
}

// pathLists maps a key to a list of paths. A list that was returned to a caller never changes.
type pathLists map[string][]event.Path

const (
	maxWordPaths = 256 // files that are listed for a word; a word in more paths than this tells little
	treeStep     = 500 // files that are added or removed under one lock; questions are answered between two steps
)

// NewTree returns a tree of the paths. The index of words is made at the first call of Word.
func NewTree(paths []event.Path) *Tree {
	paths = slices.Clone(paths) // the lists are slices of this copy
	t := &Tree{files: make(map[event.Path]bool, len(paths)), base: make(pathLists, len(paths)), dir: pathLists{},
		stem: make(pathLists, len(paths))}
	for i, p := range paths {
		if p != "" && !t.files[p] {
			t.files[p] = true
			t.addNames(paths[i : i+1 : i+1])
		}
	}
	return t
}

// addNames adds a path to the lists of its names. The path is given as a slice of one element.
func (t *Tree) addNames(one []event.Path) {
	p := one[0]
	t.base.add(p.Base(), one)
	t.dir.add(p.Dir(), one)
	t.stem.add(p.Stem(), one)
}

// add appends a path, given as a slice of one element, to a list. For a new key the slice itself
// becomes the list.
func (l pathLists) add(key string, one []event.Path) {
	if list := l[key]; list != nil {
		one = append(list, one...)
	}
	l[key] = one
}

// Add adds files. Files that the tree already has are ignored.
func (t *Tree) Add(paths ...event.Path) {
	for step := range slices.Chunk(paths, treeStep) {
		t.addStep(step)
	}
}

func (t *Tree) addStep(paths []event.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.version++
	for _, p := range paths {
		if p == "" || t.files[p] {
			continue
		}
		t.files[p] = true
		t.addNames([]event.Path{p})
		if t.words != nil {
			t.addWords(p, PathTerms(p)...)
		}
	}
}

func (t *Tree) addWords(p event.Path, words ...string) {
	for _, w := range words {
		if list := t.words[w]; len(list) < maxWordPaths {
			t.words[w] = append(list, p)
		} else {
			t.full[w] = true
		}
	}
}

// indexWords makes the index of words. The terms of a folder are computed once for all of its
// files.
func (t *Tree) indexWords() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.words != nil {
		return
	}
	t.words, t.full = pathLists{}, map[string]bool{}
	for _, dir := range slices.Sorted(maps.Keys(t.dir)) {
		above := Terms(dir, maxPathTerms)
		for _, p := range t.dir[dir] {
			t.addWords(p, above...)
			for _, w := range PathTerms(p[len(dir):]) { // the rest begins with a slash
				if len(above) < maxPathTerms && !slices.Contains(above, w) {
					t.addWords(p, w)
				}
			}
		}
	}
}

// Remove removes files.
func (t *Tree) Remove(paths ...event.Path) {
	for step := range slices.Chunk(paths, treeStep) {
		t.removeStep(step)
	}
}

func (t *Tree) removeStep(paths []event.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.version++
	var gone []event.Path
	for _, p := range paths {
		if t.files[p] {
			delete(t.files, p)
			gone = append(gone, p)
		}
	}
	t.base.remove(gone, func(p event.Path) []string { return []string{p.Base()} })
	t.dir.remove(gone, func(p event.Path) []string { return []string{p.Dir()} })
	t.stem.remove(gone, func(p event.Path) []string { return []string{p.Stem()} })
	t.removeWords(gone)
}

// removeWords removes paths from the lists of their words. If a list that was full has lost half of
// its files, all lists are made again at the next call of Word.
func (t *Tree) removeWords(gone []event.Path) {
	t.words.remove(gone, PathTerms)
	for _, p := range gone {
		for _, w := range PathTerms(p) {
			if t.full[w] && len(t.words[w]) < maxWordPaths/2 {
				t.words = nil
				return
			}
		}
	}
}

// remove removes paths from the lists of their keys. Each list is copied once.
func (l pathLists) remove(gone []event.Path, keys func(event.Path) []string) {
	if l == nil {
		return
	}
	of := map[string]map[event.Path]bool{}
	for _, p := range gone {
		for _, key := range keys(p) {
			if of[key] == nil {
				of[key] = map[event.Path]bool{}
			}
			of[key][p] = true
		}
	}
	for key, drop := range of {
		kept := slices.DeleteFunc(slices.Clone(l[key]), func(p event.Path) bool { return drop[p] })
		if l[key] = kept; len(kept) == 0 {
			delete(l, key)
		}
	}
}

// Has reports whether the file is known.
func (t *Tree) Has(p event.Path) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.files[p]
}

// Len returns the number of files.
func (t *Tree) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.files)
}

// Version returns a number that changes with every change of the tree.
func (t *Tree) Version() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.version
}

// All returns every file, in no order. The slice belongs to the caller.
func (t *Tree) All() []event.Path {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.AppendSeq(make([]event.Path, 0, len(t.files)), maps.Keys(t.files))
}

// Base returns the files with this base name.
func (t *Tree) Base(name string) []event.Path { return t.list(t.base, name) }

// Dir returns the files directly in a folder; "" is the root.
func (t *Tree) Dir(dir string) []event.Path { return t.list(t.dir, dir) }

// Stem returns the files with the same Stem as p, including p if the tree has it.
func (t *Tree) Stem(p event.Path) []event.Path { return t.list(t.stem, p.Stem()) }

// Word returns at most 256 files whose path has a term (see PathTerms). The first call indexes the
// words of all paths.
func (t *Tree) Word(term string) []event.Path {
	t.mu.RLock()
	indexed, list := t.words != nil, t.words[term]
	t.mu.RUnlock()
	if indexed {
		return list
	}
	t.indexWords()
	return t.Word(term)
}

func (t *Tree) list(l pathLists, key string) []event.Path {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return l[key]
}

// Named returns the files that a text names, each once, in the order of the text. It reads the
// first 30 KB and returns at most 60 files.
func (t *Tree) Named(text string) []event.Path { return NewLocator(t, nil, "").Mentions(text, false) }
