package index

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// paths finds the places that still name a deleted file. In the other files of the change only imports
// count, because their texts may well say what was moved.
func (b *breaking) paths(change []Changed) {
	if len(b.gone) == 0 {
		return
	}
	b.forgotten(change)
	lost := map[event.Path]map[event.Path]int{} // see lost; by user
	for p := range b.gone {
		b.imports(p, lost)
		b.mentions(p)
	}
}

// imports finds the imports of a deleted file. Scripts import files of any kind. known has what lost
// returned for files that were already read.
func (b *breaking) imports(p event.Path, known map[event.Path]map[event.Path]int) {
	for _, key := range pathKeys(p) {
		for _, user := range b.users(string(importMark)+key, maxReferences*4) {
			if lang := languageOf(user); lang != script && (languageOf(p) == nil || lang.family() != languageOf(p).family()) {
				continue
			}
			text := b.readable(user)
			if known[user] == nil {
				known[user] = b.lost(user, text)
			}
			if line := known[user][p]; line > 0 {
				b.out = append(b.out, Broken{user, line, lineOf(text, line, key), string(p), p})
			}
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

// optional reports whether a program, given by its lines, goes on if what it imports on a line is
// missing. The lines that enclose the import are those above it that are indented less.
func optional(lang *language, lines [][]byte, number int) bool {
	if !lang.modules() {
		return false
	}
	if lang == script && triesModule().Match(lines[number-1]) {
		return true
	}
	columns := indentation(lines[number-1])
	for i := number - 2; i >= 0 && columns > 0; i-- {
		line := bytes.TrimSpace(lines[i])
		if len(line) == 0 || line[0] == '#' || indentation(lines[i]) >= columns {
			continue
		}
		columns = indentation(lines[i])
		switch {
		case lang == script && triesModule().Match(line), lang == python && catchesMissing().Match(line):
			return true
		case lang == python && string(line) == "try:":
			for _, handler := range lines[i+1:] {
				text := bytes.TrimSpace(handler)
				if len(text) == 0 || indentation(handler) > columns {
					continue
				}
				if catchesMissing().Match(text) {
					return true
				}
				if !bytes.HasPrefix(text, []byte("except")) {
					break
				}
			}
		}
	}
	return false
}

// forgotten finds the imports of deleted files in the files that the change keeps and edits. New ones
// do not count: a wrapper of a library that gets another name still imports the library, which is
// called like the wrapper was.
func (b *breaking) forgotten(change []Changed) {
	for _, c := range change {
		if c.Was == nil || c.Is == nil {
			continue
		}
		text := b.readable(c.Path)
		for p, line := range b.lost(c.Path, text) {
			b.out = append(b.out, Broken{c.Path, line, lineOf(text, line, pathKeys(p)[0]), string(p), p})
		}
	}
}

// lost returns the deleted files that a program imports, each with the line of the first import that
// means no file any more.
func (b *breaking) lost(user event.Path, text []byte) map[event.Path]int {
	before, after, lang := b.files(nil), b.files(b.gone), languageOf(user)
	out, lines := map[event.Path]int{}, bytes.Split(text, []byte{'\n'})
	for _, i := range importsIn(lang, text) {
		for k, module := range i.modules(lang) {
			for _, p := range before.targetsOf(user, lang, module) {
				manifest := languageOf(p) == nil && !strings.HasSuffix(module, p.Ext())
				if !b.gone[p] || out[p] > 0 || manifest || b.provided(p, lang, after.targetsOf(user, lang, module)) {
					continue
				}
				ofModule := k > 0 && b.gives(before.targetsOf(user, lang, i.module), i.module, p, path.Ext(module)[1:])
				if !ofModule && (lang != python || namedAs(p, module)) && !optional(lang, lines, i.line) {
					out[p] = i.line
				}
			}
		}
	}
	return out
}

// gives reports whether a name that is imported from a module is not a module itself: one of the
// module's files is the deleted file p, or defines the name or passes it on.
func (b *breaking) gives(files []event.Path, module string, p event.Path, name string) bool {
	return slices.ContainsFunc(files, func(f event.Path) bool {
		if !namedAs(f, module) {
			return false
		}
		s := ReadSource(f, b.Text(f))
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
		return lang != rust || itself || bytes.Contains(b.Text(f), []byte(name))
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

// lineOf returns a line of a text, or what is around a name in it.
func lineOf(text []byte, number int, name string) string {
	for range number - 1 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return around(line, bytes.Index(line, []byte(name)))
}

// namesPresent reports whether a path that the file mentions should exist. Changelogs name files of
// the past, lists of ignored files name files that may or may not exist, and translations name the
// files in which a tool found a text.
func namesPresent(p event.Path) bool {
	return KindOf(p) != KindBinary && !changelog(p) && !namesWhatMayBeGone(p)
}

// mentions finds the path of a deleted file in any text: documents, settings, workflows, build
// files and programs.
func (b *breaking) mentions(p event.Path) {
	for _, user := range append(b.Contents.naming(p, maxReferences*4), b.More...) {
		if b.change[user] || !namesPresent(user) {
			continue
		}
		text := b.readable(user)
		if text == nil {
			continue
		}
		number := b.mentionIn(user, text, p)
		told := func(o Broken) bool { return o.File == user && (o.Line == number || o.Name == string(p)) }
		if number > 0 && !slices.ContainsFunc(b.out, told) {
			b.out = append(b.out, Broken{user, number, lineOf(text, number, p.Base()), string(p), p})
		}
	}
}

// mentionIn returns the number of the first line of a text that names a path, 0 if none does.
func (b *breaking) mentionIn(user event.Path, text []byte, p event.Path) int {
	base, kind := []byte(p.Base()), KindOf(user)
	if !bytes.Contains(text, base) {
		return 0
	}
	number := 0
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		number++
		for at := 0; ; {
			i := bytes.Index(line[at:], base)
			if i < 0 {
				break
			}
			start, end := at+i, at+i+len(base)
			for start > 0 && (identifierByte[line[start-1]] || bytes.IndexByte([]byte("./-@~"), line[start-1]) >= 0) {
				start--
			}
			at = end
			if rest := line[end:]; len(rest) > 0 && (identifierByte[rest[0]] || rest[0] == '/' || rest[0] == '-' ||
				rest[0] == '.' && len(rest) > 1 && identifierByte[rest[1]]) {
				continue // another name
			}
			name := string(line[start:end])
			if name == p.Base() && !LooksNamed(name) { // a word
				continue
			}
			if at, file := forgePath(name); file == string(p) && newestBranch[at] {
				return number
			}
			here := event.Path(path.Join(user.Dir(), name))
			if name[0] == '/' { // of a web site
				here = ""
			}
			bare := !strings.Contains(name, "/")
			if kind == KindSource || kind == KindTest {
				if b.inProgram(user, line, start, name, p, here) {
					return number
				}
				continue
			}
			fromRoot := strings.TrimPrefix(name, "./") == string(p) && !b.Tree.Has(here)
			if bare && KindOf(user) == KindProse && (start == 0 || bytes.IndexByte([]byte("(<`\""), line[start-1]) < 0) {
				continue
			}
			if here == p && (!bare || p.Dir() == "") || fromRoot && (!bare || strings.HasPrefix(string(user), ".")) {
				return number
			}
		}
	}
	return 0
}

var (
	importsFile  = LazyRegexp(`\b(?:import|from|require)\b`)
	includesFile = LazyRegexp(`include|url\(['"]?$`)
)

// inProgram reports whether a name in a line of a program, a test or a build file means the deleted
// file. Seen from the folder of that program (here), the name must contain a folder, unless the
// line includes a file or belongs to a build. Seen from the root, the name must contain a
// folder, too, and only counts in a program that is not a test, because tests invent names of files.
// What a script imports is not decided here: ./a.js may mean a.ts.
func (b *breaking) inProgram(user event.Path, line []byte, start int, name string, p, here event.Path) bool {
	if languageOf(user) == script && importsFile().Match(line[:start]) {
		return false
	}
	fromHere := strings.TrimPrefix(name, "./")
	bare := !strings.Contains(fromHere, "/")
	builds := bareFiles[user.Base()] || user.Ext() == ".mk" || user.Ext() == ".dockerfile"
	includes := bytes.Contains(line, []byte("go:embed ")) || includesFile().Match(line[:start])
	return here == p && (!bare || builds || includes) ||
		KindOf(user) == KindSource && !bare && fromHere == string(p) && !b.Tree.Has(here)
}

// newestBranch has the usual names of a repository's main branch. A web address with one of them
// means the file as it is now.
var newestBranch = event.WordSet("main master trunk develop HEAD")

// namesWhatMayBeGone reports whether a file lists ignored files, as .gitignore, or old commits, as
// .git-blame-ignore-revs, or is a catalog of gettext.
func namesWhatMayBeGone(p event.Path) bool {
	return strings.HasPrefix(p.Base(), ".") && (strings.HasSuffix(p.Base(), "ignore") || strings.HasSuffix(p.Base(), "-revs")) ||
		p.Ext() == ".po" || p.Ext() == ".pot"
}

// changelog reports whether a file describes earlier versions of a project.
func changelog(p event.Path) bool {
	return slices.ContainsFunc([]string{"change", "history", "news", "release", "migrat", "upgrad", "whatsnew"},
		func(word string) bool { return strings.Contains(strings.ToLower(string(p)), word) })
}
