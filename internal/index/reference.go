package index

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Changed is a file of a change. A file that got another name is a deleted and a new one.
type Changed struct {
	Path    event.Path
	Was, Is *Source // nil: no program, or not there
	Gone    bool    // it is deleted
}

// Compare reads two versions of a file. before is nil for a new file, after for a deleted one.
func Compare(p event.Path, before, after []byte) Changed {
	c := Changed{Path: p, Gone: before != nil && after == nil}
	if before != nil {
		c.Was = ReadSource(p, before)
	}
	if after != nil {
		c.Is = ReadSource(p, after)
	}
	return c
}

// Broken is a place that still uses what a change removes.
type Broken struct {
	File event.Path `json:"file"` // it is not part of the change
	Line int        `json:"line"` // from 1 on
	Text string     `json:"text"` // the line, without the space around it
	Name string     `json:"name"` // the name or the path that is gone
	In   event.Path `json:"in"`   // where the change removes it
}

// World is what is around a change: the files after it, what the index knows of them, and their contents.
type World struct {
	Tree     *Tree
	Contents *Contents
	Text     func(event.Path) []byte // nil for a file that cannot be read
	More     []event.Path            // files of which Text is another one than what Contents knows
}

// Bounds of a search for broken references.
const (
	minReference  = 4   // bytes of a name
	maxReferences = 256 // files that may use a name; a name that more have is not searched
	maxRemoved    = 400 // names and files that a change removes; of a larger one the first
	maxLine       = 200 // bytes of Broken.Text
	maxBroken     = 100
)

// removal is a name that a change removes.
type removal struct {
	name string
	in   *Changed
	definition
	users int // files of the change that used it and do no more
}

// BrokenBy returns the references that a change breaks, by file and line: names of at least 4 bytes whose only
// definition it removes, imports of files that it removes or renames, and their paths in documents and settings. A name
// that the code of the change still has was moved, or means something else. Each file is named once for each name.
func (w World) BrokenBy(change []Changed) []Broken {
	b := breaking{World: w, change: map[event.Path]bool{}, gone: map[event.Path]bool{}}
	for _, c := range change {
		b.change[c.Path] = true
		if c.Gone {
			b.gone[c.Path] = true
		}
	}
	b.names(change)
	b.paths()
	slices.SortFunc(b.out, func(x, y Broken) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Name, y.Name))
	})
	return b.out[:min(len(b.out), maxBroken)]
}

// files are those of the tree and of the change, but for some. The tree may not know of the change yet.
func (b *breaking) files(less map[event.Path]bool) files {
	return files{b.Tree, b.change, less, func() string {
		rest, _ := bytes.CutPrefix(bytes.TrimSpace(b.Text("go.mod")), []byte("module "))
		line, _, _ := bytes.Cut(rest, []byte{'\n'})
		return string(bytes.TrimSpace(line))
	}}
}

// breaking is one search.
type breaking struct {
	World
	change map[event.Path]bool // its files
	gone   map[event.Path]bool // files that are not there any more
	out    []Broken
}

// users returns the files outside of the change that may use a name, none if there are more than most.
func (b *breaking) users(name string, most int) []event.Path {
	out := b.Contents.codeUsers(name, most, func(p event.Path) bool { return !b.change[p] })
	for _, p := range b.More {
		if !b.change[p] && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// names finds the uses of names that a change removes.
func (b *breaking) names(change []Changed) {
	byFile := map[event.Path][]*removal{}
	for _, r := range b.removed(change) {
		users := b.users(r.name, maxReferences)
		if b.definedBy(users, r) {
			continue
		}
		for _, u := range users {
			if languageOf(u).family() == r.in.Was.lang.family() {
				byFile[u] = append(byFile[u], r)
			}
		}
	}
	for user, removals := range byFile {
		if text := b.Text(user); text != nil && !unreadable(user, text) {
			b.out = append(b.out, b.references(user, text, removals)...)
		}
	}
}

// removed are the names that a change removes.
func (b *breaking) removed(change []Changed) (out []*removal) {
	seen := map[string]bool{}
	for i := range change {
		c := &change[i]
		if c.Was == nil {
			continue
		}
		for name, d := range c.Was.defines {
			if seen[name] || d.private || !refersTo[c.Was.lang] || slices.ContainsFunc(change, func(o Changed) bool {
				return o.Is != nil && o.Is.keeps(name, d.member || o.Path != c.Path)
			}) {
				continue
			}
			r := &removal{name: name, in: c, definition: d}
			for _, o := range change {
				if o.Was != nil && o.Path != c.Path && o.Was.uses[name] {
					r.users++
				}
			}
			seen[name] = true
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(x, y *removal) int { return cmp.Compare(x.name, y.name) })
	return out[:min(len(out), maxRemoved)]
}

// keeps reports whether a version still has a name that it defined, so that it was moved or means something else. Where
// the file still uses it, and does not import it, the change forgot to rename it there.
func (s *Source) keeps(name string, anyUse bool) bool {
	return s.has(name) || s.uses[name] && (anyUse || s.imports[name] || !looksLikeCode(name))
}

func (s *Source) has(name string) bool { _, ok := s.defines[name]; return ok }

// definedBy reports whether one of the files defines a name.
func (b *breaking) definedBy(users []event.Path, r *removal) bool {
	plain := plainIdentifier(r.name)
	for _, u := range users {
		if !b.Contents.defines(u, plain) && !slices.Contains(b.More, u) || languageOf(u).family() != r.in.Was.lang.family() {
			continue
		}
		if s := ReadSource(u, b.Text(u)); s == nil || s.has(r.name) {
			return true
		}
	}
	return false
}

// family is one language for several that share names.
func (l *language) family() *language {
	if l == kotlin || l == scala {
		return java
	}
	return l
}

// occurrence is a name in the code of a line.
type occurrence struct {
	before, after []byte // code of the line
	owner         string // the identifier before its dot, "" for none
	dotted        bool
}

// references finds the first use of each name in a file.
func (b *breaking) references(user event.Path, text []byte, removals []*removal) (out []Broken) {
	lang := languageOf(user)
	in := usage{lang: lang, bound: map[string]importedName{}, module: map[string]bool{}, user: user}
	all := b.files(nil)
	for _, i := range importsIn(lang, text) {
		targets := all.targets(user, lang, i.module)
		in.targets = append(in.targets, targets...)
		known := len(targets) > 0 || lang.family() == java && slices.ContainsFunc(removals, func(r *removal) bool {
			return inPackage(r.in.Path, i.module) // of a class that is not called as its file
		})
		in.star = in.star || i.all && known
		for _, n := range i.names {
			if n.name == "" {
				in.module[n.local] = known
				continue
			}
			in.bound[n.name] = n
			// from . import module
			in.module[n.local] = known
			if !known {
				in.foreign = append(in.foreign, n.name)
			}
		}
		if lang == golang {
			in.packages = append(in.packages, goImport{i, targets})
		}
	}
	found := make([]*Broken, len(removals))
	declared := make([]bool, len(removals))
	for number, l := range codeLines(lang, text, nil) {
		for name := range names(l.code) {
			for k, r := range removals {
				if string(name) != r.name || declared[k] {
					continue
				}
				at := cap(l.code) - cap(name)
				o := occurrenceOf(l.code, at, at+len(name))
				switch in.judge(r, o, number) {
				case declares:
					declared[k], found[k] = true, nil
				case refers:
					if found[k] == nil {
						found[k] = &Broken{user, number, event.Clip(string(bytes.TrimSpace(l.raw)), maxLine), r.name, r.in.Path}
					}
				}
			}
		}
	}
	for _, f := range found {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

type goImport struct {
	importing
	files []event.Path
}

// usage is what a file imports.
type usage struct {
	lang     *language
	user     event.Path
	bound    map[string]importedName // by the name in the module
	module   map[string]bool         // by local name: whether the repository has it
	foreign  []string                // names that come from elsewhere
	star     bool                    // it imports all names of a module of the repository
	packages []goImport
	targets  []event.Path // the files that it imports
}

// verdict is what an occurrence of a name is.
type verdict uint8

const (
	says     verdict = iota // nothing
	refers                  // it uses the name that is gone
	declares                // the name means something else in this file
)

func occurrenceOf(code []byte, from, to int) occurrence {
	o := occurrence{before: bytes.TrimRight(code[:from], " \t"), after: bytes.TrimLeft(code[to:], " \t")}
	for _, dot := range [...]string{"?.", ".", "->", "::"} {
		if rest, found := bytes.CutSuffix(o.before, []byte(dot)); found && !bytes.HasSuffix(rest, []byte("..")) {
			_, owner := lastIdentifier(bytes.TrimRight(rest, " "))
			o.owner, o.dotted = string(owner), true
			break
		}
	}
	return o
}

// judge says what an occurrence means.
func (u *usage) judge(r *removal, o occurrence, line int) verdict {
	if slices.Contains(u.foreign, r.name) {
		return declares
	}
	n, imported := u.bound[r.name]
	switch {
	case r.member:
		return u.judgeMember(r, o)
	case u.lang == golang:
		return u.judgeGo(r, o)
	case imported && n.line == line, imported && !o.dotted && u.explicit():
		return refers
	case o.dotted:
		return u.judgeOwner(r, o)
	case u.lang == python && r.in.Path.Base() == "conftest.py": // fixtures come without an import
		if u.linked(r) && !o.declares(u.lang) {
			return refers
		}
		return declares
	case o.declares(u.lang), u.explicit() && !u.star:
		return declares
	case u.explicit(), bytes.HasSuffix(o.before, []byte(`\`)), u.mayMean(r):
		return refers
	}
	return says
}

// explicit reports whether a name of another file is known only where it is imported.
func (u *usage) explicit() bool { return u.lang == python || u.lang == script || u.lang == rust }

// judgeMember says what a name of a type means: nothing is known of the types of variables.
func (u *usage) judgeMember(r *removal, o occurrence) verdict {
	prototype := u.lang == clike && u.user.Stem() == r.in.Path.Stem() && bytes.HasSuffix(bytes.TrimSpace(o.after), []byte(";")) &&
		bytes.HasPrefix(o.after, []byte("("))
	if prototype && !o.dotted || o.dotted && r.ownedBy(o.owner) ||
		o.dotted && looksLikeCode(r.name) && (r.users > 0 || u.linked(r)) {
		return refers
	}
	return says
}

// ownedBy reports whether the file that defined a name defines a type of that name.
func (r *removal) ownedBy(owner string) bool {
	return owner != "" && 'A' <= owner[0] && owner[0] <= 'Z' && r.in.Was.has(owner)
}

// judgeOwner looks at what is before the dot of a name that belongs to no type.
func (u *usage) judgeOwner(r *removal, o occurrence) verdict {
	old := r.in.Path
	switch {
	case bytes.HasSuffix(o.before, []byte("::")):
		if o.owner == old.Stem() || o.owner == path.Base(old.Dir()) || r.in.Was.has(o.owner) || o.owner == "self" ||
			o.owner == "crate" || o.owner == "super" {
			return refers
		}
	case o.owner != "" && u.module[o.owner], r.ownedBy(o.owner), u.lang == kotlin && looksLikeCode(r.name) && u.linked(r):
		return refers
	}
	return says
}

// linked reports whether the file imports the one that defined a name, is of the same package, or is its header or test.
func (u *usage) linked(r *removal) bool {
	old := r.in.Path
	if u.user.Dir() == old.Dir() || u.user.Stem() == old.Stem() {
		return true
	}
	if u.lang == python && old.Base() == "conftest.py" {
		return strings.HasPrefix(string(u.user), old.Dir())
	}
	return slices.ContainsFunc(u.targets, func(p event.Path) bool { return p == old || p.Stem() == old.Stem() })
}

// mayMean reports whether a name that is not imported can be that of another file.
func (u *usage) mayMean(r *removal) bool {
	old := r.in.Path
	switch u.lang {
	case java, kotlin, scala, php:
		return u.star || strings.HasSuffix(old.Dir(), path.Base(u.user.Dir())) && samePackage(u.user.Dir(), old.Dir())
	case clike:
		return r.users > 0 || u.linked(r)
	}
	return r.users > 0 || u.linked(r) || looksLikeCode(r.name) && r.name != strings.ToUpper(r.name)
}

// inPackage reports whether a file lies in the folders of a package of Java, or of that of a class.
func inPackage(p event.Path, module string) bool {
	dir := strings.ReplaceAll(module, ".", "/")
	return strings.HasSuffix("/"+p.Dir(), "/"+dir) || strings.HasSuffix("/"+p.Dir(), "/"+path.Dir(dir))
}

// samePackage compares the last two folders: src/main/java/a/b and src/test/java/a/b are one package.
func samePackage(a, b string) bool {
	return path.Base(a) == path.Base(b) && path.Base(path.Dir(a)) == path.Base(path.Dir(b))
}

// judgeGo looks for a name of a Go package.
func (u *usage) judgeGo(r *removal, o occurrence) verdict {
	dir := r.in.Path.Dir()
	switch {
	case o.dotted:
		for _, i := range u.packages {
			if i.names[0].local == o.owner && len(i.files) > 0 && i.files[0].Dir() == dir {
				return refers
			}
		}
		return says
	case u.user.Dir() != dir:
		return says
	case o.declares(u.lang):
		return declares
	}
	return refers
}

// refersTo are the languages whose references are known.
var refersTo = map[*language]bool{golang: true, python: true, script: true, java: true, rust: true, clike: true, ruby: true,
	php: true, csharp: true, kotlin: true}

var (
	// declaring words come before a name that they declare.
	declaring = wordSet(`var let const val def fn func fun function class struct interface type enum trait module object mut
		union macro namespace typedef define record protocol for as`)
	// usingWords come before a name that is used; other words before it are its type.
	usingWords = wordSet(`return case new throw throws else in is typeof instanceof extends implements and or not await yield
		delete sizeof goto import from export default public private protected internal static final abstract sealed async
		override virtual readonly const do if elif unless while until when where with use using package raise assert then
		match out ref inline extern unsigned signed volatile struct enum union class include extend prepend insteadof
		defer go range select print echo super constexpr`)
)

// declares reports whether an occurrence declares its name in the file: a variable, a parameter, a field, a function.
func (o occurrence) declares(lang *language) bool {
	_, word := lastIdentifier(o.before)
	next := byte(0)
	if len(o.after) > 0 {
		next = o.after[0]
	}
	typesFirst := lang == java || lang == csharp || lang == clike || lang == dart || lang == php
	switch {
	case declaring[string(word)] && !(typesFirst && usingWords[string(word)]):
		return true
	case bytes.HasSuffix(o.before, []byte(":")) && !bytes.HasSuffix(o.before, []byte("::")): // name: Type = value
		return false
	case next == ':' && !bytes.HasPrefix(o.after, []byte("::")) && lang != python && !bytes.HasSuffix(o.before, []byte("case")):
		return !bytes.Contains(o.before, []byte("?"))
	case next == '=' && !bytes.HasPrefix(o.after, []byte("==")) && !bytes.HasPrefix(o.after, []byte("=>")) &&
		!bytes.HasPrefix(o.after, []byte("=~")):
		return true
	case lang == golang && bytes.Contains(o.after, []byte(":=")) && next == ',':
		return true
	case lang == golang && (identifierByte[next] || next == '*'):
		return true // name Type
	case typesFirst && len(word) > 0 && !usingWords[string(word)]:
		return !(lang == clike && bytes.HasSuffix(bytes.TrimRight(o.after, " "), []byte(";")) && next == '(')
	case typesFirst && len(o.before) > 0 && next != '(' && bytes.IndexByte([]byte("*&>]"), o.before[len(o.before)-1]) >= 0:
		return len(o.before) > 1 && o.before[len(o.before)-2] != ' '
	}
	return false
}

// paths finds what names files that are gone.
func (b *breaking) paths() {
	for p := range b.gone {
		if lang := languageOf(p); lang != nil && importForms[lang] != nil {
			b.imports(p, lang)
		}
		b.mentions(p)
	}
}

// imports finds the imports of a file that is gone.
func (b *breaking) imports(p event.Path, lang *language) {
	before, after := b.files(nil), b.files(b.gone)
	for _, key := range pathKeys(p) {
		for _, user := range b.users(string(importMark)+key, maxReferences*4) {
			if languageOf(user).family() != lang.family() {
				continue
			}
			text := b.Text(user)
			if text == nil || unreadable(user, text) {
				continue
			}
			if i, found := broken(importsIn(languageOf(user), text), user, p, before, after); found {
				b.out = append(b.out, Broken{user, i, lineOf(text, i), string(p), p})
			}
		}
	}
}

// broken returns the line of the first import that meant a file and means none now.
func broken(all []importing, user, gone event.Path, before, after files) (line int, found bool) {
	lang := languageOf(user)
	for _, i := range all {
		modules := []string{i.module}
		for _, n := range i.names {
			if lang == python && n.name != "" {
				modules = append(modules, strings.TrimSuffix(i.module, ".")+"."+n.name)
				if strings.Trim(i.module, ".") == "" {
					modules[len(modules)-1] = i.module + n.name
				}
			}
		}
		for k, module := range modules {
			if slices.Contains(before.targets(user, lang, module), gone) && len(after.targets(user, lang, module)) == 0 {
				if k > 0 && slices.Contains(before.targets(user, lang, i.module), gone) {
					continue
				}
				return i.line, true
			}
		}
	}
	return 0, false
}

// pathKeys are the keys of the imports that may mean a file.
func pathKeys(p event.Path) []string {
	stem, _, _ := strings.Cut(p.Base(), ".")
	keys := []string{stem}
	if dir := path.Base(p.Dir()); dir != "." && (slices.Contains(packageFiles, p.Base()) || p.Ext() == ".go") {
		keys = append(keys, dir)
	}
	return keys
}

func lineOf(text []byte, number int) string {
	for range number - 1 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return event.Clip(string(bytes.TrimSpace(line)), maxLine)
}

// mentions finds the path of a file that is gone in documents, settings and workflows. Histories of changes name what
// was.
func (b *breaking) mentions(p event.Path) {
	for _, user := range append(b.Contents.naming(p, maxReferences*4), b.More...) {
		kind := KindOf(user)
		if b.change[user] || kind != KindProse && kind != KindData || changelog(user) {
			continue
		}
		text := b.Text(user)
		if text == nil || unreadable(user, text) {
			continue
		}
		if number := b.mentionIn(user, text, p); number > 0 {
			b.out = append(b.out, Broken{user, number, lineOf(text, number), string(p), p})
		}
	}
}

// mentionIn returns the line of a text that names a path, 0 if none does.
func (b *breaking) mentionIn(user event.Path, text []byte, p event.Path) int {
	base := []byte(p.Base())
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
			if end < len(line) && (identifierByte[line[end]] || line[end] == '/' || line[end] == '-') {
				continue
			}
			name := string(line[start:end])
			here := event.Path(path.Join(user.Dir(), name))
			bare := !strings.Contains(name, "/")
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

// changelog reports whether a file tells the history of a project.
func changelog(p event.Path) bool {
	name := strings.ToLower(p.Base())
	for _, word := range [...]string{"change", "history", "news", "release", "migrat", "upgrad", "whatsnew"} {
		if strings.Contains(name, word) || strings.Contains(strings.ToLower(p.Dir()), word) {
			return true
		}
	}
	return false
}

// Mends returns a name that a change removes, of those that the code of a file before has and after has not; "" if
// there is none. Programs of the developers measure with it.
func Mends(f Changed, change []Changed) string {
	was, is := f.Was, f.Is
	if was == nil || is == nil {
		return ""
	}
	b := breaking{}
	for _, r := range b.removed(change) {
		if was.uses[r.name] && !was.has(r.name) && !is.uses[r.name] && was.lang.family() == r.in.Was.lang.family() {
			return r.name
		}
	}
	return ""
}

// Defined reports whether a file outside of a change defines a name.
func (w World) Defined(name string, change []Changed) bool {
	b := breaking{World: w}
	in := map[event.Path]bool{}
	for _, c := range change {
		in[c.Path] = true
	}
	users := w.Contents.codeUsers(name, maxReferences*8, func(p event.Path) bool { return !in[p] })
	for _, u := range users {
		if s := ReadSource(u, b.Text(u)); s != nil && s.has(name) {
			return true
		}
	}
	return false
}
