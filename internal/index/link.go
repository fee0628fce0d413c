package index

import (
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Link is what names and contents say of another file beside one file. Numbers are from 0 on.
type Link struct {
	Imports float64 // one of the two imports the other: 1/(files that the import means), the best
	Path    float64 // 1: one has the path of the other in its text
	Uses    float64 // names that the file uses and the other defines, each worth 1/(files that define it)
	Used    float64 // names that the file defines and the other uses, each worth 1/(files that use it)
	Stem    float64 // share of the words of the other's name that the file's name has, by rarity
	Sibling float64 // 1/√(files of the folder that both are in); 0 where it has more than 40
}

// Bounds of Links.
const (
	maxLinked  = 64 // files by each kind of link
	maxReading = 48 // files that are read to see whether they import or name a file
	mostWith   = 64 // if more files than this have a word in their names, it links to none of them
	mostBeside = 40 // if a folder has more files than this, it links to none of them
)

// Links returns what links other files with one, by their paths. It reads the file, and at most a
// hundred others that may name it. What Contents does not know yet is not found.
func (w World) Links(p event.Path) map[event.Path]*Link {
	l := linker{breaking: breaking{World: w}, of: p, out: map[event.Path]*Link{}}
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
	breaking
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

// nameTerms are the words of the name of a file without its extension.
func nameTerms(p event.Path) []string { return PathTerms(event.Path(p.Base())) }

// named finds files by their paths alone.
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

// imports finds what the file imports and what imports it.
func (l *linker) imports() {
	lang := languageOf(l.of)
	if lang == nil || lang.imports == nil {
		return
	}
	in := l.files(nil)
	for _, i := range importsIn(lang, l.readable(l.of)) {
		for f, share := range meant(in, l.of, lang, i) {
			x := l.to(f)
			x.Imports = max(x.Imports, share)
		}
	}
	left := maxReading
	for _, key := range pathKeys(l.of) {
		for _, user := range l.Contents.codeUsers(string(importMark)+key, maxReading*8, func(f event.Path) bool { return f != l.of }) {
			if lang := languageOf(user); left > 0 && lang.family() == languageOf(l.of).family() {
				left--
				best := 0.0
				for _, i := range importsIn(lang, l.readable(user)) {
					best = max(best, meant(in, user, lang, i)[l.of])
				}
				if best > 0 {
					l.to(user).Imports = max(l.to(user).Imports, best)
				}
			}
		}
	}
}

// meant are the files that an import means, each with 1/(how many).
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

// mentions finds the files whose path the file has in its text, and those that have its path.
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
		if left == 0 || user == l.of || !namesPresent(user) {
			continue
		}
		left--
		if text := l.readable(user); text != nil && l.mentionIn(user, text, l.of) > 0 {
			l.to(user).Path = 1
		}
	}
}
