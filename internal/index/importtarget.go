package index

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// files is the Tree of a World with the files of a change added and some taken away.
type files struct {
	*manifests
	less map[event.Path]bool // files that are deleted although the tree may still have them
}

func (f files) has(p string) bool {
	return !f.less[event.Path(p)] && (f.change[event.Path(p)] || f.Tree.Has(event.Path(p)))
}

// base returns the files with this base name.
func (f files) base(name string) []event.Path {
	return f.with(f.Tree.Base(name), func(p event.Path) bool { return p.Base() == name })
}

// dir returns the files directly in a folder.
func (f files) dir(dir string) []event.Path {
	return f.with(f.Tree.Dir(dir), func(p event.Path) bool { return p.Dir() == dir })
}

// with adds the files of f.change that fit to some files of the tree, and drops those of f.less.
func (f files) with(all []event.Path, fit func(event.Path) bool) (out []event.Path) {
	for _, p := range all {
		if !f.change[p] {
			out = append(out, p)
		}
	}
	for p := range f.change {
		if fit(p) && !f.less[p] {
			out = append(out, p)
		}
	}
	return out
}

// file returns the file of that name, if there is one, as a list of one.
func (f files) file(name string) []event.Path {
	if name = path.Clean(name); f.has(name) {
		return []event.Path{event.Path(name)}
	}
	return nil
}

// first returns the first of the names that is a file, as a list of one.
func (f files) first(names ...string) []event.Path { return either(f.file, []string{""}, names...) }

// either returns what is found by the first name that has one of the extensions and is found at all.
func either(find func(name string) []event.Path, exts []string, stems ...string) []event.Path {
	for _, stem := range stems {
		for _, ext := range exts {
			if found := find(stem + ext); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// ending returns the files whose path is name or ends in "/" and name; none if more than maxSame
// files have that base name.
func (f files) ending(name string) []event.Path {
	same := f.base(path.Base(name))
	if len(same) > maxSame {
		return nil
	}
	return slices.DeleteFunc(same, func(p event.Path) bool { return !strings.HasSuffix("/"+string(p), "/"+name) })
}

// upward yields a folder and those above it, the root last, which is "".
func upward(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) && dir != "" {
			dir = event.Path(dir).Dir()
		}
	}
}

// targetsOf returns the files of the repository that an import means. The list is empty if the
// import means something outside of the repository or if this cannot be decided. A Go package means
// all files of its folder.
func (f files) targetsOf(from event.Path, lang *language, module string) []event.Path {
	if module == "" { // a package.json need not name its package
		return nil
	}
	return lang.targets(f, from, module)
}

func (f files) header(from event.Path, module string) []event.Path {
	if found := f.first(path.Join(from.Dir(), module)); found != nil {
		return found
	}
	return f.ending(path.Clean(module))
}

func (f files) rubyFile(from event.Path, module string) []event.Path {
	name := strings.TrimSuffix(module, ".rb") + ".rb"
	if strings.HasPrefix(module, ".") {
		return f.first(path.Join(from.Dir(), name))
	}
	return f.ending(name)
}

func (f files) phpClass(from event.Path, module string) []event.Path {
	if strings.HasPrefix(module, "./") {
		return f.first(path.Join(from.Dir(), module))
	}
	parts := strings.Split(module, `\`)
	for n := len(parts) - 1; n > 0; n-- { // the first part of a namespace often has no folder
		if found := f.ending(path.Join(parts[len(parts)-n:]...) + ".php"); len(found) > 0 && n > 1 || len(found) == 1 {
			return found
		}
	}
	return nil
}

// pythonModule finds a.b as a/b.py or a/b/__init__.py: below any folder that contains the importing
// file and is no package, or below src or lib. In a package, import redis never means the file
// redis.py beside it.
func (f files) pythonModule(from event.Path, module string) []event.Path {
	name := strings.TrimLeft(module, ".")
	rest := strings.ReplaceAll(name, ".", "/")
	at := func(dir string) []event.Path {
		key := path.Join(dir, rest)
		found := f.first(key+".py", key+"/__init__.py", key+".pyi", key+".pyx")
		if found == nil && rest != "" {
			found = f.dir(key)
			return found[:min(len(found), 1)]
		}
		return found
	}
	if level := len(module) - len(name); level > 0 {
		dir := from.Dir()
		for range level - 1 {
			dir = event.Path(dir).Dir()
		}
		return at(dir)
	}
	for dir := range upward(from.Dir()) {
		if found := at(dir); found != nil && !f.has(path.Join(dir, "__init__.py")) {
			return found
		}
	}
	for _, dir := range [...]string{"src", "lib", "python"} {
		if found := at(dir); found != nil {
			return found
		}
	}
	if !strings.Contains(rest, "/") {
		return nil
	}
	apart := slices.DeleteFunc(f.ending(rest+".py"), func(p event.Path) bool { // in another project of the repository
		return f.has(strings.TrimSuffix(string(p), rest+".py") + "__init__.py")
	})
	if len(apart) > 1 {
		return nil
	}
	return apart
}

var scriptExts = strings.Fields(".ts .tsx .js .jsx .mjs .cjs .mts .cts .vue .svelte .d.ts .json")

// platformExts are the usual ends of names of files of which a bundler takes one, as button.ios.tsx.
var platformExts = func() (all []string) {
	for _, platform := range strings.Fields(".ios .android .native .web .macos .windows .server .client") {
		for _, ext := range scriptExts[:4] {
			all = append(all, platform+ext)
		}
	}
	return all
}()

// scriptModule finds ./a as a.ts, a/index.ts and so on, @/a and SvelteKit's $lib/a as any file whose
// path ends in a or lib/a, and a/b below a folder that contains the importing file, which may be the
// baseUrl of TypeScript.
func (f files) scriptModule(from event.Path, module string) []event.Path {
	module, _, _ = strings.Cut(module, "?")
	exact := func(key string) []event.Path {
		if found := scriptFile(key, f.file); found != nil {
			return found
		}
		return either(f.file, platformExts, key, key+"/index")
	}
	switch alias, found := strings.CutPrefix(strings.TrimLeft(module, "@~"), "/"); {
	case strings.HasPrefix(module, "."):
		key := path.Join(from.Dir(), module)
		found := exact(key)
		if built := strings.Replace("/"+key, "/dist/", "/src/", 1)[1:]; found == nil && built != key { // it is written from src
			found = exact(built)
		}
		return found
	case strings.HasPrefix(module, "/"):
		return exact(alias)
	case found:
		return scriptFile(alias, f.ending)
	case strings.HasPrefix(module, "$lib/"):
		return scriptFile(module[1:], f.ending)
	}
	if found := f.manifest("package.json", packageOf(module)); found != nil {
		return found
	}
	return f.above(from, module, exact)
}

// above finds a/b below a folder that contains the importing file, unless a is a package of others.
func (f files) above(from event.Path, module string, find func(key string) []event.Path) []event.Path {
	if !strings.Contains(module, "/") {
		return nil
	}
	for dir := range upward(from.Dir()) {
		if found := find(path.Join(dir, module)); found != nil && !f.foreign(from, module) {
			return found
		}
	}
	return nil
}

// scriptFile finds the file of a module without its extension, or the index of a folder. TypeScript
// writes a.js for a.ts.
func scriptFile(key string, find func(name string) []event.Path) []event.Path {
	if found := find(key); len(found) > 0 {
		return found
	}
	written := key
	if ext := path.Ext(key); strings.Contains(".js .jsx .mjs .cjs", ext) {
		written = strings.TrimSuffix(key, ext)
	}
	return either(find, scriptExts, key, written, key+"/index")
}

var styleExts = append([]string{""}, strings.Fields(".scss .sass .less .css .styl")...)

// styleSheet finds a/b beside the importing file, or below a folder that contains it, as a/b.css,
// a/_b.scss, a/b/_index.scss and so on.
func (f files) styleSheet(from event.Path, module string) []event.Path {
	find := func(key string) []event.Path {
		return either(f.file, styleExts, key, path.Join(path.Dir(key), "_"+path.Base(key)), key+"/_index", key+"/index")
	}
	if strings.HasPrefix(module, "/") { // of a web site
		return nil
	}
	if found := find(path.Join(from.Dir(), module)); found != nil || strings.HasPrefix(module, ".") {
		return found
	}
	return f.above(from, module, find)
}

// goPackage finds the folder of a Go package below the go.mod of its module. In a repository without
// modules it is the folder with which the path of the package ends.
func (f files) goPackage(_ event.Path, module string) []event.Path {
	parts := strings.Split(module, "/")
	for n := len(parts); n > 0; n-- {
		if found := f.manifest(goManifest, strings.Join(parts[:n], "/")); found != nil {
			return f.goFiles(path.Join(found[0].Dir(), path.Join(parts[n:]...)))
		}
	}
	if len(f.base(goManifest)) > 0 || !strings.Contains(parts[0], ".") && len(parts) < 2 {
		return nil
	}
	for n := 1; n < len(parts); n++ {
		if found := f.goFiles(path.Join(parts[n:]...)); len(found) > 0 {
			return found
		}
	}
	return nil
}

func (f files) goFiles(dir string) []event.Path {
	return slices.DeleteFunc(f.dir(dir), func(p event.Path) bool {
		return p.Ext() != ".go" || strings.HasSuffix(string(p), "_test.go")
	})
}

// javaClass finds a.b.C as …/a/b/C.java or C.kt. Parts of the name after the class are ignored.
func (f files) javaClass(_ event.Path, module string) []event.Path {
	parts := strings.Split(module, ".")
	for n := len(parts); n > max(1, len(parts)-2); n-- {
		if found := either(f.ending, []string{".java", ".kt"}, path.Join(parts[:n]...)); found != nil {
			return found
		}
	}
	return nil
}

// rustModule finds crate::a::b as …/a/b.rs or …/a/b/mod.rs. Parts of the name after the module are
// ignored.
func (f files) rustModule(from event.Path, module string) []event.Path {
	parts := strings.Split(strings.Trim(module, ":"), "::")
	dir := from.Dir()
	if base := from.Base(); base != "mod.rs" && base != "lib.rs" && base != "main.rs" {
		dir = strings.TrimSuffix(string(from), ".rs")
	}
	find := func(parts []string) []event.Path {
		name := path.Join(dir, path.Join(parts...))
		return f.first(name+".rs", name+"/mod.rs")
	}
	var above []string // the files of the innermost module that is not named by parts
	switch parts[0] {
	case "mod": // a declaration: it always means a file, never an item of a module
		return find(parts[1:])
	case "self", "super":
		for ; len(parts) > 0 && (parts[0] == "super" || parts[0] == "self"); parts = parts[1:] {
			if parts[0] == "super" {
				dir = event.Path(dir).Dir()
			}
		}
		above = []string{dir + ".rs", dir + "/mod.rs", dir + "/lib.rs", dir + "/main.rs", string(from)}
	case "crate":
		parts = parts[1:]
		for dir = range upward(from.Dir()) {
			if f.has(dir+"/lib.rs") || f.has(dir+"/main.rs") {
				break
			}
		}
		above = []string{dir + "/lib.rs", dir + "/main.rs"}
	case "path": // the same with an attribute, from the folder of the file
		return f.first(path.Join(from.Dir(), parts[1]))
	case "std", "core", "alloc", "proc_macro":
		return nil
	default:
		return f.manifest("Cargo.toml", parts[0])
	}
	for n := len(parts); n > 0; n-- {
		if found := find(parts[:n]); found != nil {
			return found
		}
	}
	return f.first(above...)
}
