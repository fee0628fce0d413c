package index

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Broken is a place that still uses what a change removes.
type Broken struct {
	File event.Path `json:"file"` // the file; it is part of the change only if it imports a deleted file
	Line int        `json:"line"` // line number, from 1 on
	Text string     `json:"text"` // the line without surrounding space; of a long line, the part around the name
	Name string     `json:"name"` // the removed name, or the path of the removed file
	In   event.Path `json:"in"`   // the file from which the change removes it
}

// BrokenLines drops all but the first entry of each line. The list must be in the order of
// BrokenBy.
func BrokenLines(all []Broken) []Broken {
	return slices.CompactFunc(slices.Clone(all), func(x, y Broken) bool { return x.File == y.File && x.Line == y.Line })
}

// World is the repository around a change: the files after the change, their contents, and the
// index.
type World struct {
	Tree     *Tree
	Contents *Contents
	Text     func(event.Path) []byte // the content of a file, nil if it cannot be read
	More     []event.Path            // files whose content is not the one that Contents has read
}

// readable returns the content of a file, nil if it cannot be read, is binary or is too large, or if
// a tool wrote it and will write it again.
func (w World) readable(p event.Path) []byte {
	text := w.Text(p)
	if text == nil || unreadable(p, text) || generated(text) {
		return nil
	}
	return text
}

// Limits of a search for broken references.
const (
	minReference  = 4    // bytes of the shortest name that is searched
	maxReferences = 1024 // files that may use a name; a name in more files is not searched
	maxRemoved    = 400  // removed names and files that are searched for; the rest of a larger change is ignored
	maxLine       = 200  // bytes of Broken.Text, without the signs that it is cut
	maxBroken     = 100
)

// BrokenBy returns the references that a change breaks, by file and line: uses of names whose only
// definition it removes, imports of files that it deletes or renames, and mentions of their paths
// in any text.
//
// Names have at least 4 bytes. If only tests still define a name of the program, such as a method
// of a fake, its uses are broken all the same. A name that the changed code still has counts as
// moved, or means something else; then only uses are broken that take it from where it was (see
// fromModule and mayComeFrom). A member may now come from a base if its type has got a new one,
// so it is not reported either. Each file is listed once for each name, and at most a hundred
// places in all; more is the number of those left out.
func (w World) BrokenBy(change []Changed) (out []Broken, more int) {
	b := breaking{World: w, change: map[event.Path]bool{}, gone: map[event.Path]bool{}, own: map[nameIn]bool{}}
	for _, c := range change {
		b.change[c.Path] = true
		if c.Gone {
			b.gone[c.Path] = true
		}
	}
	b.names(change)
	b.paths(change)
	slices.SortFunc(b.out, func(x, y Broken) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Name, y.Name))
	})
	b.out = slices.CompactFunc(b.out, func(x, y Broken) bool { // several files may have defined the name
		return x.File == y.File && x.Line == y.Line && x.Name == y.Name
	})
	out = b.out[:min(len(b.out), maxBroken)]
	return out, len(b.out) - len(out)
}

// files returns the files of the tree and of the change, except for those in less. The change is
// added because the tree may not know of it yet.
func (b *breaking) files(less map[event.Path]bool) files {
	if b.manifests == nil {
		b.manifests = newManifests(b.World, b.change)
	}
	return files{b.manifests, less}
}

// breaking is the state of one search for broken references.
type breaking struct {
	World
	*manifests                     // nil until it is first needed
	change     map[event.Path]bool // files of the change
	gone       map[event.Path]bool // deleted files
	own        map[nameIn]bool     // names that tests define themselves
	out        []Broken
}

// nameIn is a name in a file.
type nameIn struct {
	file event.Path
	name string
}

// users returns the files outside of the change that may use a name; none if there are more than
// most.
func (b *breaking) users(name string, most int) []event.Path {
	out := b.Contents.codeUsers(name, most, func(p event.Path) bool { return !b.change[p] })
	for _, p := range b.More {
		if !b.change[p] && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// names finds the uses of the names that a change removes.
func (b *breaking) names(change []Changed) {
	byFile := map[event.Path][]*removal{}
	for _, r := range b.removed(change) {
		users := b.users(r.name, maxReferences)
		if !r.elsewhere && b.definedBy(users, r) {
			if r.elsewhere = r.fromModule(); !r.elsewhere {
				continue
			}
		}
		for _, u := range users {
			lang := r.in.Was.lang
			if languageOf(u).family() == lang.family() && !b.own[nameIn{u, r.name}] && (lang.modules() || !r.ofTest(u)) {
				byFile[u] = append(byFile[u], r)
			}
		}
	}
	fields := map[string]bool{} // names of members that are also fields of other types
	var out []Broken
	for user, removals := range byFile {
		if text := b.readable(user); text != nil {
			out = append(out, b.references(user, text, removals)...)
			for _, r := range removals {
				fields[r.name] = fields[r.name] || r.fields
			}
		}
	}
	b.out = append(b.out, slices.DeleteFunc(out, func(o Broken) bool { return fields[o.Name] })...)
}

// keeps reports whether this version still has a name that it used to define. If it does, the name
// was moved or means something else. But if the file only uses the name without importing it, the
// change probably forgot to rename it there; such a use does not count, unless anyUse is true.
func (s *Source) keeps(name string, anyUse bool) bool {
	return s.has(name) || s.mentions(name) && (anyUse || s.imports[name] || !looksLikeCode(name))
}

func (s *Source) has(name string) bool { _, ok := s.defines[name]; return ok }

// definedBy reports whether one of the files defines the removed name. Tests that define it for
// themselves do not count if the program defined it.
func (b *breaking) definedBy(users []event.Path, r *removal) bool {
	definers := event.PathSet(b.Contents.Definers(plainIdentifier(r.name), math.MaxInt))
	for _, u := range users {
		if !definers[u] && !slices.Contains(b.More, u) || !r.mayComeFrom(u) ||
			languageOf(u).family() != r.in.Was.lang.family() {
			continue
		}
		if s := ReadSource(u, b.Text(u)); s != nil && !s.has(r.name) {
			continue
		}
		if KindOf(u) != KindTest || KindOf(r.in.Path) == KindTest {
			return true
		}
		b.own[nameIn{u, r.name}], r.inTests = true, true
	}
	return false
}

// family returns the language that represents l and its relatives: files of one family can use each
// other's names.
func (l *language) family() *language {
	if l == kotlin {
		return java
	}
	return l
}

// occurrence is one place in a line of code where a name occurs.
type occurrence struct {
	before, after []byte // the code before and after the name
	owner         string // the identifier before the dot in front of it, "" if none exists
	dotted        bool
}

// usageOf tells what a file imports.
func (b *breaking) usageOf(user event.Path, text []byte, removals []*removal) *usage {
	lang := languageOf(user)
	in := &usage{lang: lang, user: user, text: text, bound: map[string]importedName{}, module: map[string]bool{},
		packages: map[string]string{}, from: map[string][]event.Path{}}
	all, left := b.files(nil), b.files(b.gone)
	in.nuxt = lang == script && len(all.base("nuxt.config.ts"))+len(all.base("nuxt.config.js")) > 0
	in.crates = func(name string) []event.Path { return all.manifest("Cargo.toml", name) }
	lines := bytes.Split(text, []byte{'\n'})
	for _, i := range importsIn(lang, text) {
		targets, spare := all.targetsOf(user, lang, i.module), optional(lang, lines, i.line)
		in.targets = append(in.targets, targets...)
		// "import ast" in pkg/ast.py means the standard module, not this file
		itself := len(targets) == 1 && targets[0] == user
		known := len(targets) > 0 && !itself || lang.family() == java && slices.ContainsFunc(removals, func(r *removal) bool {
			return inPackage(r.in.Path, i.module) // a class need not have the name of its file
		})
		if i.all && known {
			in.star = true
			in.starred = append(in.starred, b.passed(targets, removals)...)
		}
		for _, n := range i.names {
			if n.name == "" {
				in.module[n.local], in.from[n.local] = known, targets
				continue
			}
			modules := all.targetsOf(user, lang, i.within(n, lang)) // Python's "from . import module"
			in.takes(n, targets, modules)
			in.bound[n.name] = n
			in.module[n.local] = known && lang != script && lang != python || len(modules) > 0
			if !known || b.otherwise(n.name, targets, modules, removals) || spare && len(modules) == 0 {
				in.foreign = append(in.foreign, n.name)
			}
		}
		// the import of a package that is gone is broken itself, see paths
		if lang == golang && len(targets) > 0 && len(left.targetsOf(user, lang, i.module)) > 0 {
			in.packages[i.names[0].local] = targets[0].Dir()
		}
	}
	return in
}

// passed returns the removals whose names come with all names of some files: these define them, or at
// least have the name, or pass on all names of others.
func (b *breaking) passed(by []event.Path, removals []*removal) (out []*removal) {
	for _, p := range by {
		text, lang := b.Text(p), languageOf(p)
		passes := lang != nil && slices.ContainsFunc(importsIn(lang, text), func(i importing) bool { return i.all })
		for _, r := range removals {
			if passes || p == r.in.Path || bytes.Contains(text, []byte(r.name)) {
				out = append(out, r)
			}
		}
	}
	return out
}

// references finds the first use of each removed name in a file.
func (b *breaking) references(user event.Path, text []byte, removals []*removal) (out []Broken) {
	in := b.usageOf(user, text, removals)
	found := make([]*Broken, len(removals))
	declared := make([]bool, len(removals))
	var last []byte // the code of the line before
	for number, l := range codeLines(in.lang, text, nil) {
		for name := range names(l.code) {
			for k, r := range removals {
				if string(name) != r.name || declared[k] {
					continue
				}
				at := cap(l.code) - cap(name)
				o := occurrenceOf(l.code, at, at+len(name))
				if len(o.before) == 0 && bytes.HasSuffix(last, []byte(".")) { // Go breaks a chain of calls after the dot
					o = occurrenceOf(slices.Concat(last, l.code[at:]), len(last), len(last)+len(name))
				}
				switch in.judge(r, o, number) {
				case declares:
					declared[k], found[k] = true, nil
					r.fields = r.fields || r.member && in.lang.modules() && KindOf(user) != KindTest
				case refers:
					if found[k] == nil {
						found[k] = &Broken{user, number, around(l.raw, at), r.name, r.in.Path}
					}
				}
			}
		}
		last = append(last[:0], bytes.TrimRight(l.code, " \t")...)
	}
	for _, f := range found {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// otherwise reports whether a name that is imported means something else than what a change removes: a
// module, or what the files from which it is imported define themselves or take from elsewhere.
func (b *breaking) otherwise(name string, from, modules []event.Path, removals []*removal) bool {
	k := slices.IndexFunc(removals, func(r *removal) bool { return r.name == name })
	if k < 0 || !removals[k].in.Was.lang.modules() || slices.Contains(from, removals[k].in.Path) {
		return false
	}
	if len(modules) > 0 {
		return !slices.Contains(modules, removals[k].in.Path)
	}
	all := b.files(nil)
	return slices.ContainsFunc(from, func(p event.Path) bool {
		text := b.Text(p)
		s := ReadSource(p, text)
		return s != nil && (s.has(name) || s.has("__getattr__") ||
			slices.ContainsFunc(importsIn(s.lang, text), func(i importing) bool {
				gives := i.all || slices.ContainsFunc(i.names, func(n importedName) bool { return n.local == name })
				return gives && len(all.targetsOf(p, s.lang, i.module)) == 0
			}))
	})
}

// around returns a line without surrounding space; of a long line it returns a part that contains
// the name, which begins at that byte.
func around(line []byte, at int) string {
	trimmed := bytes.TrimLeft(line, " \t")
	at -= len(line) - len(trimmed)
	text := string(bytes.TrimRight(trimmed, " \t\r"))
	if len(text) <= maxLine {
		return text
	}
	from := 0
	if at > maxLine*3/4 {
		from = min(at-maxLine/4, len(text)-maxLine)
	}
	cut := event.Clip(strings.ToValidUTF8(text[from:], ""), maxLine)
	if from > 0 {
		cut = "…" + cut
	}
	if from+maxLine < len(text) {
		cut += "…"
	}
	return cut
}

// Mends returns a name that a change removes and that a file of the change used before but no
// longer uses; "" if none exists. Developers' programs use it to measure.
func Mends(f Changed, change []Changed) string {
	was, is := f.Was, f.Is
	if was == nil || is == nil {
		return ""
	}
	b := breaking{}
	for _, r := range b.removed(change) {
		if was.mentions(r.name) && !was.has(r.name) && !is.mentions(r.name) && was.lang.family() == r.in.Was.lang.family() {
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
