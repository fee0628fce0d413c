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
	b := newBreaking(w, change)
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

// breaking is the state of one search for broken references.
type breaking struct {
	World
	all    files               // of the tree and of the change, because the tree may not know of it yet
	left   files               // the same without the deleted ones
	change map[event.Path]bool // files of the change
	gone   map[event.Path]bool // deleted files
	own    map[nameIn]bool     // names that tests define themselves
	fields map[string]bool     // removed members that are also fields of other types; a use may mean these
	out    []Broken

	providers map[event.Path]*provider // files that were read already; see provider
}

func newBreaking(w World, change []Changed) *breaking {
	b := &breaking{World: w, change: map[event.Path]bool{}, gone: map[event.Path]bool{}, own: map[nameIn]bool{},
		fields: map[string]bool{}, providers: map[event.Path]*provider{}}
	for _, c := range change {
		b.change[c.Path] = true
		if c.Gone {
			b.gone[c.Path] = true
		}
	}
	b.all = files{manifests: newManifests(w, b.change)}
	b.left = files{b.all.manifests, b.gone}
	return b
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

// namers returns the files outside of the change that may use a removed name.
func (b *breaking) namers(r *removal) []event.Path {
	return slices.DeleteFunc(b.users(r.name, maxReferences), func(p event.Path) bool {
		return languageOf(p).family() != r.in.Was.lang.family()
	})
}

// names finds the uses of the names that a change removes.
func (b *breaking) names(change []Changed) {
	byFile := map[event.Path][]*removal{}
	for _, r := range removed(change) {
		users := b.namers(r)
		if r.elsewhere = r.elsewhere || b.definedBy(users, r); r.elsewhere && !r.fromModule() {
			continue
		}
		for _, u := range users {
			if !b.own[nameIn{u, r.name}] && (r.in.Was.lang.modules() || !r.ofTest(u)) {
				byFile[u] = append(byFile[u], r)
			}
		}
	}
	for user, removals := range byFile {
		if text := b.readable(user); text != nil {
			b.out = append(b.out, b.references(user, text, removals)...)
		}
	}
	b.out = slices.DeleteFunc(b.out, func(o Broken) bool { return b.fields[o.Name] })
}

// definedBy reports whether one of the files defines the removed name. Tests that define it for
// themselves do not count if the program defined it; they are noted in b.own and r.inTests.
func (b *breaking) definedBy(users []event.Path, r *removal) bool {
	definers := event.PathSet(b.Contents.Definers(plainIdentifier(r.name), math.MaxInt))
	for _, u := range users {
		if !definers[u] && !slices.Contains(b.More, u) || !r.mayComeFrom(u) {
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

// references finds the first use of each removed name in a file.
func (b *breaking) references(user event.Path, text []byte, removals []*removal) (out []Broken) {
	u := b.usageOf(user, text, removals)
	named := map[string][]*removal{}
	for _, r := range removals {
		named[r.name] = append(named[r.name], r)
	}
	found, declared := map[*removal]Broken{}, map[*removal]bool{}
	for l, o := range occurrences(u.lang, text, func(name []byte) bool { return named[string(name)] != nil }) {
		for _, r := range named[l.name] {
			if declared[r] {
				continue
			}
			switch u.judge(r, o, l.number) {
			case declares:
				declared[r] = true
				b.fields[r.name] = b.fields[r.name] || r.member && u.lang.modules() && KindOf(user) != KindTest
			case refers:
				if _, known := found[r]; !known {
					found[r] = Broken{user, l.number, around(l.raw, l.at), r.name, r.in.Path}
				}
			}
		}
	}
	for r, place := range found {
		if !declared[r] {
			out = append(out, place)
		}
	}
	return out
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

// Mends returns a name that a change removes, that no file outside of the change defines, and that a file
// of the change used before but no longer uses; "" if none exists. Developers' programs use it to measure.
func (w World) Mends(f Changed, change []Changed) string {
	was, is := f.Was, f.Is
	if was == nil || is == nil {
		return ""
	}
	for _, r := range removed(change) {
		if was.mentions(r.name) && !was.has(r.name) && !is.mentions(r.name) && was.lang.family() == r.in.Was.lang.family() {
			if b := newBreaking(w, change); b.definedBy(b.namers(r), r) {
				break
			}
			return r.name
		}
	}
	return ""
}
