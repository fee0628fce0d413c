package index

import (
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Link describes how another file is connected with a file by names and contents. Each number is 0
// or more.
type Link struct {
	// One of the two files imports the other: 1/(number of files that the import may mean), of the
	// best import.
	Imports float64
	Path    float64 // 1 if one file contains the path of the other
	// Names that the file uses and the other defines; each adds 1/(number of files that define it).
	Uses float64
	// Names that the file defines and the other uses; each adds 1/(number of files that use it).
	Used float64
	Stem float64 // share of the words of the other file's name that the file's name has, weighted by rarity
	// 1/√(number of files in their common folder); 0 if they are in different folders or it has
	// more than 40
	Sibling float64
}

// Limits of Links.
const (
	maxLinked  = 64 // number of files that are kept for each kind of link
	maxReading = 48 // number of files that are read to find imports and mentions
	// Bytes of such a file that are searched for imports, because they stand at the top. Reading all of
	// 48 large tests took half of the time of a question.
	maxImporting = 4 << 10
	mostWith     = 64 // if more files than this have a word in their names, it links to none of them
	mostBeside   = 40 // if a folder has more files than this, it links to none of them
)

// Links returns the files that are connected with a file by names and contents, by path. It reads
// the file itself and at most a hundred others that may name it. Files that Contents has not read
// yet are not found.
func (w World) Links(p event.Path) map[event.Path]*Link {
	l := linker{World: w, of: p, out: map[event.Path]*Link{}}
	l.named()
	for _, h := range w.Contents.Called(p, maxLinked) {
		l.to(h.Path).Uses = h.Weight
	}
	for _, h := range w.Contents.calling(p, maxLinked) {
		l.to(h.Path).Used = h.Weight
	}
	l.imports()
	l.mentions()
	delete(l.out, p)
	for f := range l.out {
		if !w.Tree.Has(f) {
			delete(l.out, f)
		}
	}
	return l.out
}

type linker struct {
	World
	of  event.Path
	out map[event.Path]*Link
}

func (l *linker) to(p event.Path) *Link {
	x := l.out[p]
	if x == nil {
		x = &Link{}
		l.out[p] = x
	}
	return x
}

// nameTerms returns the words of a file's name without the extension.
func nameTerms(p event.Path) []string { return PathTerms(event.Path(p.Base())) }

// named finds links by the paths of files alone.
func (l *linker) named() {
	own := nameTerms(l.of)
	rarity := func(word string) float64 { return Rarity(l.Tree.Len(), len(l.Tree.Word(word))) }
	for _, word := range own {
		with := l.Tree.Word(word)
		if len(with) > mostWith {
			continue
		}
		for _, f := range with {
			if l.out[f] != nil {
				continue
			}
			shared, all := 0.0, 1.0
			for _, t := range nameTerms(f) {
				r := rarity(t)
				if all += r; slices.Contains(own, t) {
					shared += r
				}
			}
			if shared > 0 {
				l.to(f).Stem = shared / all
			}
		}
	}
	if beside := l.Tree.Dir(l.of.Dir()); len(beside) <= mostBeside {
		for _, f := range beside {
			l.to(f).Sibling = 1 / math.Sqrt(float64(len(beside)))
		}
	}
}

// imports finds the files that the file imports, and those that import it.
func (l *linker) imports() {
	lang := languageOf(l.of)
	if lang == nil || lang.imports == nil {
		return
	}
	in := files{manifests: newManifests(l.World, nil)}
	for _, i := range importsIn(lang, l.readable(l.of)) {
		for f, share := range meant(in, l.of, lang, i) {
			x := l.to(f)
			x.Imports = max(x.Imports, share)
		}
	}
	left := maxReading
	for _, key := range pathKeys(l.of) {
		for _, user := range l.Contents.codeUsers(string(importMark)+key, maxReading*8,
			func(f event.Path) bool { return f != l.of }) {
			if lang := languageOf(user); left > 0 && lang.family() == languageOf(l.of).family() {
				left--
				best, text := 0.0, l.readable(user)
				for _, i := range importsIn(lang, text[:min(len(text), maxImporting)]) {
					best = max(best, meant(in, user, lang, i)[l.of])
				}
				if best > 0 {
					l.to(user).Imports = max(l.to(user).Imports, best)
				}
			}
		}
	}
}

// meant returns the files that an import may mean, each with the weight 1/(number of these files).
func meant(in files, user event.Path, lang *language, i importing) map[event.Path]float64 {
	out := map[event.Path]float64{}
	for _, module := range i.modules(lang) {
		found := in.targetsOf(user, lang, module)
		for _, f := range found {
			out[f] = max(out[f], 1/float64(len(found)))
		}
	}
	return out
}

// mentions finds the files whose path occurs in the text of the file, and those whose text has the
// path of the file.
func (l *linker) mentions() {
	if text := l.readable(l.of); text != nil {
		for _, f := range NewLocator(l.Tree, nil, "").Mentions(string(text), false) {
			if KindOf(l.of) != KindSource || strings.Contains(string(text), string(f)) {
				l.to(f).Path = 1
			}
		}
	}
	left := maxReading
	for _, user := range l.Contents.naming(l.of, 4*maxReading) {
		if left == 0 || user == l.of || ofThePast(user) {
			continue
		}
		left--
		if text := l.readable(user); text != nil && l.mentionIn(user, text, l.of) > 0 {
			l.to(user).Path = 1
		}
	}
}
