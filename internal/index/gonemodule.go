package index

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// imports finds the imports of deleted files: in files outside of the change, and in those that the change
// keeps and edits. New ones do not count: a wrapper of a library that gets another name still imports the
// library, which is called like the wrapper was.
func (b *breaking) imports(change []Changed) {
	users := map[event.Path]bool{}
	for _, c := range change {
		if c.Was != nil && c.Is != nil {
			users[c.Path] = true
		}
	}
	for p := range b.gone {
		for _, key := range pathKeys(p) {
			for _, user := range b.users(string(importMark)+key, maxReferences*4) {
				// scripts import files of any kind
				if lang := languageOf(user); lang == script || lang != nil && lang.family() == languageOf(p).family() {
					users[user] = true
				}
			}
		}
	}
	for user := range users {
		text := b.readable(user)
		for p, line := range b.lost(user, text) {
			b.out = append(b.out, Broken{user, line, lineOf(text, line, pathKeys(p)[0]), string(p), p})
		}
	}
}

// What makes a program go on without a module that is missing: catchesMissing is a line of Python that
// ends a try, catches the error or suppresses it; triesModule is a line of a script.
var (
	catchesMissing = LazyRegexp(`^\s*(except\s*:|except\b.*\b(ImportError|ModuleNotFoundError|Exception)\b|` +
		`with\b.*\b(ImportError|ModuleNotFoundError)\b)`)
	triesModule = LazyRegexp(`\btry\s*\{|\bcatch\b`)
)

// linesOf returns a function that splits a text into lines when it is first called.
func linesOf(text []byte) func() [][]byte {
	return sync.OnceValue(func() [][]byte { return bytes.Split(text, []byte{'\n'}) })
}

// optional reports whether a program, which split returns in lines, goes on if what it imports on a line
// is missing. Only two languages need the lines.
func optional(lang *language, split func() [][]byte, number int) bool {
	if !lang.modules() {
		return false
	}
	lines := split()
	for i := range enclosing(lines, number-1) {
		line := bytes.TrimSpace(lines[i])
		if lang == script && triesModule().Match(line) || lang == python && (catchesMissing().Match(line) ||
			string(line) == "try:" && caught(lines[i+1:], indentation(lines[i]))) {
			return true
		}
	}
	return false
}

// enclosing yields the index of a line, and those of the lines that enclose it, which are above it and
// indented less.
func enclosing(lines [][]byte, of int) iter.Seq[int] {
	return func(yield func(int) bool) {
		columns := indentation(lines[of])
		for i, more := of-1, yield(of); more && i >= 0 && columns > 0; i-- {
			line := bytes.TrimSpace(lines[i])
			if len(line) == 0 || line[0] == '#' || indentation(lines[i]) >= columns {
				continue
			}
			columns, more = indentation(lines[i]), yield(i)
		}
	}
}

// caught reports whether the lines after a try of Python, which has so many columns before it, end that
// and catch the error of a missing module.
func caught(lines [][]byte, columns int) bool {
	for _, line := range lines {
		text := bytes.TrimSpace(line)
		if len(text) == 0 || indentation(line) > columns {
			continue
		}
		if catchesMissing().Match(text) || !bytes.HasPrefix(text, []byte("except")) {
			return catchesMissing().Match(text)
		}
	}
	return false
}

// lost returns the deleted files that a program imports, each with the line of the first import that
// means no file any more.
func (b *breaking) lost(user event.Path, text []byte) map[event.Path]int {
	lang := languageOf(user)
	out, lines := map[event.Path]int{}, linesOf(text)
	for _, i := range importsIn(lang, text) {
		for k, module := range i.modules(lang) {
			for _, p := range b.all.targetsOf(user, lang, module) {
				if !b.gone[p] || out[p] > 0 || optional(lang, lines, i.line) || !b.needed(p, user, lang, module) {
					continue
				}
				if k == 0 || !b.gives(b.all.targetsOf(user, lang, i.module), i.module, p, path.Ext(module)[1:]) {
					out[p] = i.line
				}
			}
		}
	}
	return out
}

// needed reports whether a module that a file imports is the deleted file p, and no file that is left.
func (b *breaking) needed(p, user event.Path, lang *language, module string) bool {
	manifest := languageOf(p) == nil && !strings.HasSuffix(module, p.Ext())
	return !manifest && (lang != python || namedAs(p, module)) && !b.provided(p, lang, b.left.targetsOf(user, lang, module))
}

// gives reports whether a name that is imported from a module is not a module itself: one of the
// module's files is the deleted file p, or defines the name or passes it on.
func (b *breaking) gives(files []event.Path, module string, p event.Path, name string) bool {
	return slices.ContainsFunc(files, func(f event.Path) bool {
		if !namedAs(f, module) {
			return false
		}
		s := b.provider(f).source()
		return f == p || s != nil && (s.has(name) || s.imports[name])
	})
}

// namedAs reports whether a module of Python has the name of a file. A folder that is no package may
// be called like a library, and no file of it is missed if the library is imported.
func namedAs(p event.Path, module string) bool {
	last := module[strings.LastIndexByte(module, '.')+1:]
	return moduleFile(p) || last == p.Stem()
}

// provided reports whether the files that an import means without a deleted one can provide the same. In
// Rust that is the module above, which then has an item or a module of that name.
func (b *breaking) provided(p event.Path, lang *language, now []event.Path) bool {
	name := p.Stem()
	if moduleFile(p) {
		name = path.Base(p.Dir())
	}
	return slices.ContainsFunc(now, func(f event.Path) bool {
		itself := f.Stem() == name || moduleFile(f) && path.Base(f.Dir()) == name // x.rs became x/mod.rs
		return lang != rust || itself || bytes.Contains(b.provider(f).text, []byte(name))
	})
}

// pathKeys returns the index keys under which imports of a file can be found.
func pathKeys(p event.Path) []string {
	stem, _, _ := strings.Cut(p.Base(), ".")
	if languageOf(p) == styles {
		stem = strings.TrimPrefix(stem, "_") // imports leave it out
	}
	keys := []string{stem}
	if dir := path.Base(p.Dir()); dir != "." && (moduleFile(p) || p.Ext() == ".go") {
		keys = append(keys, dir)
	}
	return keys
}
