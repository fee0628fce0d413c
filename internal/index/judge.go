package index

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// verdict tells what an occurrence of a removed name means.
type verdict uint8

const (
	unclear  verdict = iota
	refers           // it refers to the removed definition
	declares         // the name means something else in this file
)

// condition finds the conditions of Rust for compiling something, in which names are those of platforms
// and features.
var condition = LazyRegexp(`\bcfg(_attr)?!?\(`)

// judge decides what an occurrence of a removed name means. Here and in the functions that it calls,
// the first rule that fits decides.
func (u *usage) judge(r *removal, o occurrence, line int) verdict {
	name := u.names[r.name]
	switch {
	case name.foreign:
		return declares
	case u.lang == rust && condition().Match(o.before):
		return unclear
	case r.elsewhere, r.ofTest(u.user), r.inTests && name.line > 0:
		return u.judgeImport(r, o, line)
	case r.member:
		return u.judgeMember(r, o)
	case u.lang == golang:
		return u.judgeGo(r, o)
	case name.line > 0 && (name.line == line || u.lang.explicit() && !o.dotted): // in the import, or below it
		return refers
	case o.dotted:
		return u.judgeOwned(r, o)
	}
	return u.judgeAlone(r, o)
}

// judgeImport decides if other files have the name, too, or if only an import can make it usable. Then
// a use must be in an import of the file that had it, or follow the name of that module.
func (u *usage) judgeImport(r *removal, o occurrence, line int) verdict {
	name, owner := u.names[r.name], u.names[o.owner]
	switch {
	case owner.module && slices.Contains(owner.from, r.in.Path):
		return refers
	case !owner.module && o.owner == "" && name.line == line && slices.Contains(name.from, r.in.Path):
		return refers
	}
	return unclear
}

// judgeMember decides what the name of a member means. The types of variables are not known.
func (u *usage) judgeMember(r *removal, o occurrence) verdict {
	own := o.owner == "this" || o.owner == "self"
	switch {
	case r.constant && !(r.ownedBy(o.owner) && r.in.Is != nil && r.in.Is.has(o.owner)):
		return unclear // it does not follow the name of a type that is still there
	case u.lang == golang && len(o.before) == 0 && o.declares(golang) && !bytes.Contains(o.after, []byte("=")),
		own && (u.lang == dart && o.owner == "this" || o.field()):
		return declares // a field, in Dart also a parameter that sets one
	case bytes.HasSuffix(o.before, []byte("::")) && isUpper(o.owner) && !r.ownedBy(o.owner):
		return unclear // of another type
	case u.lang.modules() && KindOf(r.in.Path) == KindTest && !slices.Contains(u.targets, r.in.Path):
		return unclear // the file gets no object of that test
	case !o.dotted && u.beside(r, o), u.lang == csharp && o.assigned() && r.ownedBy(o.created()),
		o.dotted && r.ownedBy(o.owner):
		return refers
	case !o.dotted, !looksLikeCode(r.name):
		return unclear
	case r.used && u.reaches(o), u.linked(r), u.lang != golang && r.ownedBy(typeOf(o.owner)):
		return refers
	}
	return unclear
}

// beside reports whether the file may name the removed member without an object: as the header that
// declares it, or in another part of its class in C#.
func (u *usage) beside(r *removal, o occurrence) bool {
	return u.user.Stem() == r.in.Path.Stem() && (u.prototype(o) || u.lang == csharp && !o.declares(csharp))
}

// judgeGo decides what a name of a package of Go means.
func (u *usage) judgeGo(r *removal, o occurrence) verdict {
	dir := r.in.Path.Dir()
	switch {
	case o.dotted && u.isPackage(o.owner, dir):
		return refers
	case o.dotted, u.user.Dir() != dir && !u.isPackage(".", dir): // import . "…"
		return unclear
	case o.declares(golang):
		return declares
	}
	return refers
}

// isPackage reports whether a local name is that of the package of Go in a folder.
func (u *usage) isPackage(local, dir string) bool {
	from := u.names[local].from
	return len(from) > 0 && from[0].Dir() == dir
}

// judgeOwned decides by the identifier before the dot. The removed name belongs to no type.
func (u *usage) judgeOwned(r *removal, o occurrence) verdict {
	old := r.in.Path
	switch {
	case !bytes.HasSuffix(o.before, []byte("::")):
		if o.owner != "" && u.names[o.owner].module || r.ownedBy(o.owner) {
			return refers
		}
	case o.owner == old.Stem(), o.owner == path.Base(old.Dir()), r.in.Was.has(o.owner),
		o.owner == "crate", o.owner == "super", u.inCrate(old, o.owner):
		return refers
	}
	return unclear
}

// judgeAlone decides about a name without a dot before it that the file does not import.
func (u *usage) judgeAlone(r *removal, o occurrence) verdict {
	switch {
	case u.prototype(o) && u.mayMean(r):
		return refers
	case o.declares(u.lang), u.lang.explicit() && !u.gets(r):
		return declares
	case u.lang.explicit(), u.mayMean(r):
		return refers
	}
	return unclear
}

// prototype reports whether an occurrence in C declares a function without defining it. In a header the
// parameters may go on below.
func (u *usage) prototype(o occurrence) bool {
	open := bytes.Count(o.after, []byte("(")) > bytes.Count(o.after, []byte(")"))
	return u.lang == clike && bytes.HasPrefix(o.after, []byte("(")) && len(o.before) > 0 &&
		(bytes.HasSuffix(bytes.TrimSpace(o.after), []byte(";")) || open && strings.HasPrefix(u.user.Ext(), ".h"))
}

// ownedBy reports whether owner is a type that the file of the removed name defines.
func (r *removal) ownedBy(owner string) bool { return isUpper(owner) && r.in.Was.has(owner) }

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
