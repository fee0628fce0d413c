package index

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// usage tells what a file imports, to decide what names in it mean.
type usage struct {
	lang    *language
	user    event.Path
	text    []byte
	bound   map[string]importedName // imported names, by the names that they have in their modules
	module  map[string]bool         // for each local name, whether its module is in the repository
	foreign []string                // names imported from outside of the repository
	star    bool                    // it imports all names of a module in the repository
	starred []*removal              // names that come with these
	// In Go, by local name: the folder of an imported package of the repository.
	packages map[string]string
	nuxt     bool                           // the program may use some names without importing them, see found
	crates   func(name string) []event.Path // in Rust: the Cargo.toml of the crate of that name
	targets  []event.Path                   // the files that it imports
	// for each name, the files from which it is imported; none if it is imported from several
	// places
	from map[string][]event.Path
	made map[string]bool // names to which the file assigns a value; nil until they are needed
}

// takes notes where a name is imported from. The name may be defined in the files of the module, or
// be a module itself.
func (u *usage) takes(n importedName, module, itself []event.Path) {
	if _, twice := u.bound[n.name]; twice {
		module, itself = nil, nil
	}
	u.from[n.name] = module
	if len(itself) > 0 {
		u.from[n.local] = itself
	}
}

// judgeElsewhere decides what an occurrence of a removed name means if other files have the name,
// too, or if only an import can make it usable.
func (u *usage) judgeElsewhere(r *removal, o occurrence, line int) verdict {
	name := r.name
	switch {
	case u.module[o.owner]:
		name = o.owner
	case o.owner != "", u.bound[name].line != line:
		return says
	}
	if slices.Contains(u.from[name], r.in.Path) {
		return refers
	}
	return says
}

// verdict tells what an occurrence of a removed name means.
type verdict uint8

const (
	says     verdict = iota // it is not decided
	refers                  // it refers to the removed definition
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

// condition finds the conditions of Rust for compiling something, in which names are those of platforms
// and features.
var condition = LazyRegexp(`\bcfg(_attr)?!?\(`)

// judge decides what an occurrence of a removed name means.
func (u *usage) judge(r *removal, o occurrence, line int) verdict {
	if slices.Contains(u.foreign, r.name) {
		return declares
	}
	if u.lang == rust && condition().Match(o.before) {
		return says
	}
	n, imported := u.bound[r.name]
	switch {
	case r.elsewhere, r.ofTest(u.user), r.inTests && imported:
		return u.judgeElsewhere(r, o, line)
	case r.constant:
		if o.dotted && r.ownedBy(o.owner) && r.in.Is != nil && r.in.Is.has(o.owner) {
			return refers
		}
		return says
	case r.member:
		return u.judgeMember(r, o)
	case u.lang == golang:
		return u.judgeGo(r, o)
	case imported && n.line == line, imported && !o.dotted && u.explicit():
		return refers
	case o.dotted:
		return u.judgeOwner(r, o)
	case u.lang == python && r.in.Path.Base() == "conftest.py": // fixtures are used without an import
		if u.linked(r) && !o.declares(u.lang) {
			return refers
		}
		return declares
	case u.prototype(o) && u.mayMean(r):
		return refers
	case o.declares(u.lang), u.explicit() && !slices.Contains(u.starred, r) && !u.found(r):
		return declares
	case u.explicit(), bytes.HasSuffix(o.before, []byte(`\`)), u.mayMean(r):
		return refers
	}
	return says
}

// explicit reports whether the language makes names of another file usable only by an import.
func (u *usage) explicit() bool { return u.lang == python || u.lang == script || u.lang == rust }

// found reports whether Nuxt finds the removed name without an import.
func (u *usage) found(r *removal) bool {
	return u.nuxt && slices.ContainsFunc(strings.Split(r.in.Path.Dir(), "/"), func(dir string) bool {
		return dir == "composables" || dir == "utils"
	})
}

// prototype reports whether an occurrence in C declares a function without defining it. In a header the
// parameters may go on below.
func (u *usage) prototype(o occurrence) bool {
	open := bytes.Count(o.after, []byte("(")) > bytes.Count(o.after, []byte(")"))
	return u.lang == clike && bytes.HasPrefix(o.after, []byte("(")) && len(o.before) > 0 &&
		(bytes.HasSuffix(bytes.TrimSpace(o.after), []byte(";")) || open && strings.HasPrefix(u.user.Ext(), ".h"))
}

// judgeMember decides what the name of a member means. The types of variables are not known.
func (u *usage) judgeMember(r *removal, o occurrence) verdict {
	if u.lang == golang && len(o.before) == 0 && o.declares(golang) && !bytes.Contains(o.after, []byte("=")) {
		return declares // a field
	}
	if o.owner == "this" && u.lang == dart || (o.owner == "this" || o.owner == "self") && o.field() {
		return declares // a field of its own
	}
	if bytes.HasSuffix(o.before, []byte("::")) && isUpper(o.owner) && o.owner != "Self" && !r.ownedBy(o.owner) {
		return says // of another type
	}
	if u.lang.modules() && KindOf(r.in.Path) == KindTest && !slices.Contains(u.targets, r.in.Path) {
		return says // it gets no object of that test
	}
	// a header, or another part of a class in C#
	beside := u.user.Stem() == r.in.Path.Stem() && (u.prototype(o) || u.lang == csharp && !o.declares(csharp))
	if beside && !o.dotted || u.lang == csharp && o.assigned() && r.ownedBy(o.created()) || o.dotted && r.ownedBy(o.owner) ||
		o.dotted && looksLikeCode(r.name) && (r.users > 0 && u.reaches(o) || u.linked(r) ||
			u.canName(r) && r.ownedBy(typeOf(o.owner))) {
		return refers
	}
	return says
}

// reaches reports whether an object of the repository may stand before a member in a file that does
// not import the member's file. In a language that needs imports, the file must import some file of
// the repository, and import the object from there or make it. What it gets as a parameter may come
// from any library.
func (u *usage) reaches(o occurrence) bool {
	if !u.lang.modules() || o.owner == "" || o.owner == "this" || o.owner == "self" {
		return !u.lang.modules() || len(u.targets) > 0
	}
	if u.made == nil {
		u.made = map[string]bool{}
		for _, l := range codeLines(u.lang, u.text, nil) {
			for name := range names(l.code) {
				at := cap(l.code) - cap(name)
				if occurrenceOf(l.code, at, at+len(name)).assigned() {
					u.made[string(name)] = true
				}
			}
		}
	}
	return len(u.targets) > 0 && (u.made[o.owner] || len(u.from[o.owner]) > 0)
}

// canName reports whether the file can name what the file of the removed name defines. In Go it must
// import that package.
func (u *usage) canName(r *removal) bool {
	dir := r.in.Path.Dir()
	return u.lang != golang || u.user.Dir() == dir || slices.Contains(slices.Collect(maps.Values(u.packages)), dir)
}

// ownedBy reports whether owner is a type that the file of the removed name defines.
func (r *removal) ownedBy(owner string) bool {
	return isUpper(owner) && r.in.Was.has(owner)
}

// isUpper reports whether a name begins with a capital letter, as those of types do.
func isUpper(name string) bool { return name != "" && 'A' <= name[0] && name[0] <= 'Z' }

// typeOf returns the name of the type after which a variable is usually named: Scene for scene,
// and for Rust's and Python's tab_bar TabBar.
func typeOf(variable string) string {
	out := ""
	for _, word := range strings.Split(variable, "_") {
		if word != "" {
			out += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return out
}

// judgeOwner decides by the identifier before the dot. The removed name belongs to no type.
func (u *usage) judgeOwner(r *removal, o occurrence) verdict {
	old := r.in.Path
	switch {
	case bytes.HasSuffix(o.before, []byte("::")):
		if o.owner == old.Stem() || o.owner == path.Base(old.Dir()) || r.in.Was.has(o.owner) || o.owner == "self" ||
			o.owner == "crate" || o.owner == "super" || u.inCrate(old, o.owner) {
			return refers
		}
	case o.owner != "" && u.module[o.owner], r.ownedBy(o.owner):
		return refers
	}
	return says
}

// inCrate reports whether a file is in the library of a crate of Rust.
func (u *usage) inCrate(p event.Path, crate string) bool {
	return u.lang == rust && slices.ContainsFunc(u.crates(crate), func(manifest event.Path) bool {
		return strings.HasPrefix(string(p), path.Join(manifest.Dir(), "src")+"/")
	})
}

// linked reports whether the file imports the one that defined the name, is in the same package, or
// is its header or test.
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

// mayMean reports whether a name that is not imported can still be the removed name of another
// file.
func (u *usage) mayMean(r *removal) bool {
	old := r.in.Path
	if u.lang.family() == java || u.lang == php {
		return u.star || samePackage(u.user.Dir(), old.Dir())
	}
	return r.users > 0 || u.linked(r)
}

// inPackage reports whether a file is in the folder of a Java package, or in the folder of the
// package of a class.
func inPackage(p event.Path, module string) bool {
	dir := strings.ReplaceAll(module, ".", "/")
	return strings.HasSuffix("/"+p.Dir(), "/"+dir) || strings.HasSuffix("/"+p.Dir(), "/"+path.Dir(dir))
}

// samePackage reports whether two folders have the same last two names: src/main/java/a/b and
// src/test/java/a/b are one package.
func samePackage(a, b string) bool {
	return path.Base(a) == path.Base(b) && path.Base(path.Dir(a)) == path.Base(path.Dir(b))
}

// judgeGo decides what an occurrence in a Go file means.
func (u *usage) judgeGo(r *removal, o occurrence) verdict {
	dir := r.in.Path.Dir()
	imports := func(local string) bool { in, known := u.packages[local]; return known && in == dir }
	switch {
	case o.dotted && !imports(o.owner), !o.dotted && u.user.Dir() != dir && !imports("."): // import . "…"
		return says
	case o.dotted:
		return refers
	case o.declares(u.lang):
		return declares
	}
	return refers
}

var (
	// declaring has words that precede a name that they declare.
	declaring = event.WordSet(`var let const val def fn func fun function class struct interface type enum trait
		module object mut union macro namespace typedef define record protocol for as`)
	// usingWords precede a name that is used. Any other word before a name is its type.
	usingWords = event.WordSet(`return case new throw throws else in is typeof instanceof extends implements and or
		not await yield delete sizeof goto import from export default public private protected internal static final
		abstract sealed async override virtual readonly const do if elif unless while until when where with use using
		package raise assert then match out ref inline extern unsigned signed volatile struct enum union class include
		extend prepend insteadof defer go range select print echo super constexpr`)
)

// declares reports whether an occurrence declares the name in this file: as a variable, a
// parameter, a field or a function.
func (o occurrence) declares(lang *language) bool {
	_, word := lastIdentifier(o.before)
	next := byte(0)
	if len(o.after) > 0 {
		next = o.after[0]
	}
	switch {
	case string(word) == "as" && (lang.family() == java || lang == csharp): // a cast
		return false
	case declaring[string(word)] && !(lang.Typed && usingWords[string(word)]), o.inPattern():
		return true
	case bytes.HasSuffix(o.before, []byte(":")) && !bytes.HasSuffix(o.before, []byte("::")): // name: Type = value
		return false
	case next == ':' && !bytes.HasPrefix(o.after, []byte("::")) && lang != python &&
		!bytes.HasSuffix(o.before, []byte("case")):
		return !bytes.Contains(o.before, []byte("?"))
	case next == '=' && lang != golang && !bytes.HasPrefix(o.after, []byte("==")) &&
		!bytes.HasPrefix(o.after, []byte("=>")) && !bytes.HasPrefix(o.after, []byte("=~")):
		return true
	case lang == golang && bytes.Contains(o.after, []byte(":=")) && next == ',':
		return true
	case lang == golang && (identifierByte[next] || next == '*'):
		return true // name Type
	case lang.Typed && len(word) > 0 && !usingWords[string(word)]:
		return !(lang == clike && bytes.HasSuffix(bytes.TrimRight(o.after, " "), []byte(";")) && next == '(')
	case lang.Typed && len(o.before) > 0 && next != '(' && bytes.IndexByte([]byte("*&>]"), o.before[len(o.before)-1]) >= 0:
		return len(o.before) > 1 && o.before[len(o.before)-2] != ' '
	}
	return false
}

// assigned reports whether a value is assigned to the name.
func (o occurrence) assigned() bool {
	return bytes.HasPrefix(o.after, []byte("=")) && !bytes.HasPrefix(o.after, []byte("=="))
}

// field reports whether a value is assigned to the member, perhaps with others or with a type.
func (o occurrence) field() bool {
	before, _, found := bytes.Cut(o.after, []byte("="))
	return o.assigned() || found && bytes.IndexByte([]byte(",:"), o.after[0]) >= 0 && !bytes.ContainsAny(before, "([{")
}

// created returns the type of the object in whose initializer the name stands, as in new Type(x) {
// name = 1.
func (o occurrence) created() string {
	at := bytes.LastIndex(o.before, []byte("new "))
	if at < 0 || bytes.IndexByte(o.before[at:], '{') < 0 {
		return ""
	}
	name, _ := identifier(o.before[at+4:])
	return string(name)
}

// inPattern reports whether an occurrence is in the pattern of a let: if let Some(name) = value.
func (o occurrence) inPattern() bool {
	_, pattern, found := bytes.Cut(o.before, []byte("let "))
	return found && !bytes.Contains(pattern, []byte("=")) && bytes.Contains(o.after, []byte("=")) &&
		!bytes.HasPrefix(o.after, []byte("("))
}
