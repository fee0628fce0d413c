package index

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Tree is the set of files that may be suggested: what git tracks in a worktree plus new files that are not
// ignored. It answers by name, folder, stem and word without touching the disk. Safe for concurrent use.
type Tree struct {
	mu    sync.RWMutex
	files map[event.Path]bool
	base  listing                 // file name → files
	dir   listing                 // folder → files directly in it
	stem  listing                 // Stem(path) → files
	word  map[string][]event.Path // term of the path → files, at most maxWord each; nil until somebody asks
	order listing                 // under "": all files as they came, until word is made
}

// maxWord bounds the files kept per word: a word that half of the paths contain tells nothing.
const maxWord = 256

// heldFor is the number of files that are added or removed before others may ask.
const heldFor = 500

// NewTree indexes the paths; words are indexed when the first one is asked for.
func NewTree(paths []event.Path) *Tree {
	paths = slices.Clone(paths) // the index is made of parts of it
	t := &Tree{files: make(map[event.Path]bool, len(paths)), base: newListing(len(paths)),
		dir: newListing(0), stem: newListing(len(paths)), order: newListing(1)}
	paths = slices.DeleteFunc(paths, func(p event.Path) bool {
		known := p == "" || t.files[p]
		t.files[p] = true
		return known
	})
	delete(t.files, "")
	for i := range paths {
		t.enter(paths[i : i+1 : i+1])
	}
	t.order.keep("", paths)
	return t
}

// enter indexes the one path of the slice.
func (t *Tree) enter(one []event.Path) {
	p := one[0]
	t.base.add(p.Base(), one)
	t.dir.add(p.Dir(), one)
	t.stem.add(p.Stem(), one)
}

// Add enters files; ones already known are ignored.
func (t *Tree) Add(paths ...event.Path) {
	for part := range slices.Chunk(paths, heldFor) {
		t.addPart(part)
	}
}

func (t *Tree) addPart(paths []event.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range paths {
		if p == "" || t.files[p] {
			continue
		}
		t.files[p] = true
		one := []event.Path{p}
		t.enter(one)
		if t.word == nil {
			t.order.add("", one)
		} else {
			t.enlist(p, PathTerms(p))
		}
	}
}

// enlist puts a file under its words.
func (t *Tree) enlist(p event.Path, words []string) {
	for _, w := range words {
		if l := t.word[w]; len(l) < maxWord {
			t.word[w] = append(l, p)
		}
	}
}

// index makes the index of words.
func (t *Tree) index() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.word != nil {
		return
	}
	t.word = map[string][]event.Path{}
	dir, above := "", []string(nil) // the last folder and its terms
	t.order.clean("")
	for _, p := range t.order.lists[""] {
		if d := p.Dir(); d != dir {
			dir, above = d, Terms(d, maxPathTerms)
		}
		t.enlist(p, above)
		for _, w := range PathTerms(p[len(dir):]) { // it begins with the slash
			if len(above) < maxPathTerms && !slices.Contains(above, w) {
				t.enlist(p, []string{w})
			}
		}
	}
	t.order = listing{}
}

// Remove drops files.
func (t *Tree) Remove(paths ...event.Path) {
	for part := range slices.Chunk(paths, heldFor) {
		t.removePart(part)
	}
}

func (t *Tree) removePart(paths []event.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range paths {
		if !t.files[p] {
			continue
		}
		delete(t.files, p)
		t.base.remove(p.Base(), p)
		t.dir.remove(p.Dir(), p)
		t.stem.remove(p.Stem(), p)
		if t.word == nil {
			t.order.remove("", p)
			continue
		}
		for _, w := range PathTerms(p) {
			if t.word[w] = without(t.word[w], p); len(t.word[w]) == 0 {
				delete(t.word, w)
			}
		}
	}
}

// Has reports whether the file is known.
func (t *Tree) Has(p event.Path) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.files[p]
}

// Len is the number of files.
func (t *Tree) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.files)
}

// All returns every file, in no order.
func (t *Tree) All() []event.Path {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]event.Path, 0, len(t.files))
	for p := range t.files {
		out = append(out, p)
	}
	return out
}

// Base returns the files of that name. The slice is shared: do not change it.
func (t *Tree) Base(name string) []event.Path { return t.read(&t.base, name) }

// Dir returns the files directly in that folder ("" is the root). Shared: do not change it.
func (t *Tree) Dir(dir string) []event.Path { return t.read(&t.dir, dir) }

// Stem returns the files with the same Stem as p, p itself included if it is known. Shared.
func (t *Tree) Stem(p event.Path) []event.Path { return t.read(&t.stem, p.Stem()) }

// Word returns at most 256 files whose path has that term (see PathTerms). Shared.
func (t *Tree) Word(term string) []event.Path {
	t.mu.RLock()
	made := t.word != nil
	t.mu.RUnlock()
	if !made {
		t.index()
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.word[term]
}

func (t *Tree) read(l *listing, key string) []event.Path {
	t.mu.RLock()
	list, clean := l.lists[key], l.gone[key] == nil
	t.mu.RUnlock()
	if clean {
		return list
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l.clean(key)
	return l.lists[key]
}

// Resolve finds the one file that a name in a text means: the path itself, or the only known file whose path
// ends in that name at a folder border. A bare name counts only if one file has it. Leading "./", "a/" and
// "b/" (diffs) and a trailing ":12" or ":12:3" (compilers) are taken off.
func (t *Tree) Resolve(name string) (event.Path, bool) {
	if name == "" || len(name) > event.MaxPath {
		return "", false
	}
	name = strings.ReplaceAll(name, `\`, "/")
	for range 2 {
		if i := strings.LastIndexByte(name, ':'); i > 0 && digits(name[i+1:]) {
			name = name[:i]
		}
	}
	name = path.Clean(name)
	if p, ok := t.resolve(strings.TrimPrefix(name, "./")); ok {
		return p, true
	}
	if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
		return t.resolve(name[2:])
	}
	return "", false
}

func (t *Tree) resolve(name string) (event.Path, bool) {
	if name == "" || name == "." {
		return "", false
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.files[event.Path(name)] {
		return event.Path(name), true
	}
	var found event.Path
	base := path.Base(name)
	for _, p := range t.base.lists[base] {
		if t.base.gone[base][p] {
			continue
		}
		// The name may be longer than the path (absolute, or under a folder above the root) or shorter.
		if ends(string(p), name) || ends(name, string(p)) {
			if found != "" {
				return "", false
			}
			found = p
		}
	}
	return found, found != ""
}

func ends(long, short string) bool {
	return strings.HasSuffix(long, short) && (len(long) == len(short) || long[len(long)-len(short)-1] == '/')
}
