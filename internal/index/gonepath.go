package index

import (
	"bytes"
	"iter"
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
	b.imports(change)
	for p := range b.gone {
		b.mentions(p)
	}
}

// lineOf returns a line of a text, or what is around a name in it.
func lineOf(text []byte, number int, name string) string {
	for range number - 1 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return around(line, bytes.Index(line, []byte(name)))
}

// ofThePast reports whether a file may name files that do not exist: changelogs, lists of ignored files and
// of commits, as .git-blame-ignore-revs, and translations, which name the files in which a tool found a text.
func ofThePast(p event.Path) bool {
	base, lower := p.Base(), strings.ToLower(string(p))
	if strings.HasPrefix(base, ".") && (strings.HasSuffix(base, "ignore") || strings.HasSuffix(base, "-revs")) {
		return true
	}
	return p.Ext() == ".po" || p.Ext() == ".pot" ||
		slices.ContainsFunc(pastWords, func(word string) bool { return strings.Contains(lower, word) })
}

// pastWords are words in the paths of changelogs.
var pastWords = strings.Fields("change history news release migrat upgrad whatsnew")

// mentions finds the path of a deleted file in any text: documents, settings, workflows, build
// files and programs.
func (b *breaking) mentions(p event.Path) {
	for _, user := range append(b.Contents.naming(p, maxReferences*4), b.More...) {
		if b.change[user] || ofThePast(user) {
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
func (w World) mentionIn(user event.Path, text []byte, p event.Path) int {
	base := []byte(p.Base())
	if !bytes.Contains(text, base) {
		return 0
	}
	number := 0
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		number++
		for start, name := range pathsEndingIn(line, base) {
			if (name != p.Base() || LooksNamed(name)) && w.means(user, line, start, name, p) { // else a word
				return number
			}
		}
	}
	return 0
}

// pathsEndingIn yields the paths in a line that end in a base name, each with its first byte.
func pathsEndingIn(line, base []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for end := 0; ; {
			i := bytes.Index(line[end:], base)
			if i < 0 {
				return
			}
			start := end + i
			end = start + len(base)
			for start > 0 && (identifierByte[line[start-1]] || bytes.IndexByte([]byte("./-@~"), line[start-1]) >= 0) {
				start--
			}
			if rest := line[end:]; len(rest) > 0 && (identifierByte[rest[0]] || rest[0] == '/' || rest[0] == '-' ||
				rest[0] == '.' && len(rest) > 1 && identifierByte[rest[1]]) {
				continue // another name
			}
			if !yield(start, string(line[start:end])) {
				return
			}
		}
	}
}

// means reports whether a name, which begins at a byte of a line, means the deleted file p: as a web
// address, seen from the folder of the file that has the line (here), or from the root.
func (w World) means(user event.Path, line []byte, start int, name string, p event.Path) bool {
	if at, file := forgePath(name); file == string(p) && newestBranch[at] {
		return true
	}
	here := event.Path(path.Join(user.Dir(), name))
	if name[0] == '/' { // of a web site
		here = ""
	}
	bare, fromRoot := !strings.Contains(name, "/"), strings.TrimPrefix(name, "./") == string(p) && !w.Tree.Has(here)
	switch kind := KindOf(user); {
	case kind == KindSource || kind == KindTest:
		return inProgram(user, line, start, name, here == p, fromRoot)
	case bare && kind == KindProse && (start == 0 || bytes.IndexByte([]byte("(<`\""), line[start-1]) < 0):
		return false
	}
	return here == p && (!bare || p.Dir() == "") || fromRoot && (!bare || strings.HasPrefix(string(user), "."))
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
func inProgram(user event.Path, line []byte, start int, name string, here, fromRoot bool) bool {
	switch bare := !strings.Contains(strings.TrimPrefix(name, "./"), "/"); {
	case languageOf(user) == script && importsFile().Match(line[:start]):
		return false
	case !bare:
		return here || fromRoot && KindOf(user) == KindSource
	}
	return here && (bareFiles[user.Base()] || bytes.Contains(line, []byte("go:embed ")) || includesFile().Match(line[:start]))
}

// newestBranch has the usual names of a repository's main branch. A web address with one of them
// means the file as it is now.
var newestBranch = event.WordSet("main master trunk develop HEAD")
