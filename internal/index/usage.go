package index

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// usage tells what a file can use: which files it imports, and what its imports say about names.
type usage struct {
	lang    *language
	user    event.Path
	all     files                  // of the repository, with those that the change deletes
	targets []event.Path           // the files that it imports
	names   map[string]meaning     // by the name in the module from which it is taken, and by the local name
	starred map[*removal]bool      // whether the name comes with all names of some module
	made    func() map[string]bool // names to which the file assigns a value
}

// meaning is what the imports of a file say about one name.
type meaning struct {
	line    int          // line of the last import that takes the name from a module; 0 if none does
	from    []event.Path // where the import finds it; none if several imports take it, or if that is not known
	module  bool         // it stands before names of the repository, with a dot between them
	foreign bool         // it is something else than what the change removes
}

// usageOf reads the imports of a file that may use some removed names.
func (b *breaking) usageOf(user event.Path, text []byte, removals []*removal) *usage {
	u := &usage{lang: languageOf(user), user: user, all: b.all, starred: map[*removal]bool{},
		names: map[string]meaning{}}
	u.made = sync.OnceValue(func() map[string]bool { return assignedIn(u.lang, text) })
	lines := linesOf(text)
	for _, i := range importsIn(u.lang, text) {
		targets := u.all.targetsOf(user, u.lang, i.module)
		if len(targets) == 1 && targets[0] == user {
			targets = nil // "import ast" in pkg/ast.py means the standard module, not this file
		}
		u.targets = append(u.targets, targets...)
		if i.all {
			b.star(u, i, targets, removals)
		}
		if u.lang == golang && len(targets) > 0 && len(b.left.targetsOf(user, golang, i.module)) == 0 {
			targets = nil // the import of a package that is gone is broken itself, see paths
		}
		known := len(targets) > 0 || slices.ContainsFunc(removals, func(r *removal) bool { return i.ofPackage(u.lang, r) })
		for _, n := range i.names {
			modules := u.all.targetsOf(user, u.lang, i.within(n, u.lang)) // Python's "from . import module"
			foreign := !known || len(modules) == 0 && optional(u.lang, lines, i.line) ||
				b.otherwise(n.name, targets, modules, removals)
			u.takes(n, targets, modules, known, foreign)
		}
	}
	return u
}

// takes notes what one name of an import means, which takes it from some files. It may be one of the
// modules itself.
func (u *usage) takes(n importedName, from, modules []event.Path, known, foreign bool) {
	if n.name == "" { // the whole module
		m := u.names[n.local]
		m.from, m.module = from, known
		u.names[n.local] = m
		return
	}
	m := u.names[n.name]
	again := m.line > 0
	if m.from = from; again {
		m.from = nil
	}
	m.line, m.foreign = n.line, m.foreign || foreign
	u.names[n.name] = m
	m = u.names[n.local]
	m.module = known && !u.lang.modules() || len(modules) > 0
	if len(modules) > 0 && !again {
		m.from = modules
	}
	u.names[n.local] = m
}

// ofPackage reports whether an import of Java or Kotlin means the package of a removed name or a class in
// it. A class need not have the name of its file.
func (i importing) ofPackage(lang *language, r *removal) bool {
	folder, dir := "/"+r.in.Path.Dir(), strings.ReplaceAll(i.module, ".", "/")
	return lang.family() == java && (strings.HasSuffix(folder, "/"+dir) || strings.HasSuffix(folder, "/"+path.Dir(dir)))
}

// star notes the removals whose names come with all names of a module: its files define them, or at
// least have the name, or pass on all names of others.
func (b *breaking) star(u *usage, i importing, targets []event.Path, removals []*removal) {
	for _, r := range removals {
		u.starred[r] = u.starred[r] || i.ofPackage(u.lang, r) || slices.Contains(targets, r.in.Path) ||
			slices.ContainsFunc(targets, func(p event.Path) bool { return b.provider(p).mayGive(r.name) })
	}
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
	return slices.ContainsFunc(from, func(p event.Path) bool {
		x := b.provider(p)
		own, known := x.own[name]
		if !known {
			s := x.source()
			own = s != nil && (s.has(name) || s.has("__getattr__") || b.takesFromOutside(p, x, name))
			x.own[name] = own
		}
		return own
	})
}

// takesFromOutside reports whether a file may import a name from outside of the repository.
func (b *breaking) takesFromOutside(p event.Path, x *provider, name string) bool {
	return slices.ContainsFunc(x.imports, func(i importing) bool {
		gives := i.all || slices.ContainsFunc(i.names, func(n importedName) bool { return n.local == name })
		return gives && len(b.all.targetsOf(p, x.lang, i.module)) == 0
	})
}

// assignedIn returns the names to which a program assigns a value.
func assignedIn(lang *language, text []byte) map[string]bool {
	all := map[string]bool{}
	for l, o := range occurrences(lang, text, func([]byte) bool { return true }) {
		if o.assigned() {
			all[l.name] = true
		}
	}
	return all
}

// gets reports whether the file gets the removed name although no import says so: with all names of a
// module, as a fixture of pytest from a folder above, or from Nuxt.
func (u *usage) gets(r *removal) bool {
	dir := r.in.Path.Dir()
	switch {
	case u.starred[r]:
		return true
	case u.lang == python:
		return r.in.Path.Base() == "conftest.py" && (dir == "" || u.user.Within(event.Path(dir)))
	}
	byNuxt := slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool {
		return name == "composables" || name == "utils"
	})
	return u.lang == script && byNuxt && len(u.all.base("nuxt.config.ts"))+len(u.all.base("nuxt.config.js")) > 0
}

// linked reports whether the file imports the one that defined the name, is in the same package, or
// is its header or test.
func (u *usage) linked(r *removal) bool {
	old := r.in.Path
	if u.user.Dir() == old.Dir() || u.user.Stem() == old.Stem() {
		return true
	}
	return slices.ContainsFunc(u.targets, func(p event.Path) bool { return p == old || p.Stem() == old.Stem() })
}

// mayMean reports whether a name that is not imported can still be the removed name of another
// file.
func (u *usage) mayMean(r *removal) bool {
	if u.lang.family() == java || u.lang == php {
		return u.starred[r] || samePackage(u.user.Dir(), r.in.Path.Dir())
	}
	return r.used || u.linked(r) || u.lang.Global && isUpper(r.name) && looksLikeCode(r.name)
}

// samePackage reports whether two folders have the same last two names: src/main/java/a/b and
// src/test/java/a/b are one package.
func samePackage(a, b string) bool {
	return path.Base(a) == path.Base(b) && path.Base(path.Dir(a)) == path.Base(path.Dir(b))
}

// reaches reports whether an object of the repository may stand before a member in a file that does
// not import the member's file. In a language that needs imports, the file must import some file of
// the repository, and import the object from there or make it. What it gets as a parameter may come
// from any library.
func (u *usage) reaches(o occurrence) bool {
	switch {
	case !u.lang.modules():
		return true
	case len(u.targets) == 0:
		return false
	}
	return o.owner == "" || o.owner == "this" || o.owner == "self" || len(u.names[o.owner].from) > 0 || u.made()[o.owner]
}

// inCrate reports whether a file is in the library of a crate of Rust.
func (u *usage) inCrate(p event.Path, crate string) bool {
	return u.lang == rust && slices.ContainsFunc(u.all.manifest("Cargo.toml", crate), func(manifest event.Path) bool {
		return strings.HasPrefix(string(p), path.Join(manifest.Dir(), "src")+"/")
	})
}
