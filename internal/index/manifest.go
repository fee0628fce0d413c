package index

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/aoa-dev/aoa/internal/event"
)

// manifests knows what the packages of a repository are called, and on which others they depend.
type manifests struct {
	World
	change  map[event.Path]bool                // files that may be other than in Contents
	changed map[string]event.Path              // the go.mod, package.json and Cargo.toml of the change, by their keys
	unnamed map[string]map[string][]event.Path // the package.json and Cargo.toml of each folder name, see describing
	found   map[string][]event.Path            // what describing returned, by key
	needs   map[string]map[string]bool         // the dependencies in each package.json that was read, by folder
}

func newManifests(w World, change map[event.Path]bool) *manifests {
	m := &manifests{World: w, change: change, changed: map[string]event.Path{},
		unnamed: map[string]map[string][]event.Path{}, found: map[string][]event.Path{}, needs: map[string]map[string]bool{}}
	for _, p := range slices.AppendSeq(slices.Clone(w.More), maps.Keys(change)) {
		if manifestBases[p.Base()] == 0 {
			continue
		}
		for _, key := range packageKeys(p, w.Text(p)) {
			m.changed[key] = p
		}
	}
	return m
}

// packageName finds the name in a package.json or a Cargo.toml.
var packageName = LazyRegexp(`\bname"?\s*[:=]\s*"([^"]+)"`)

// manifestBases are the base names of files that give a package its names, each with the number of
// names that count. In package.json what follows the first are other names, such as that of the author.
// Cargo.toml also names the library and the programs.
var manifestBases = map[string]int{"package.json": 1, "Cargo.toml": -1, goManifest: 1}

const goManifest = "go.mod"

// packageKeys returns the keys of the names that a go.mod, a package.json or a Cargo.toml gives to its
// package; none for other files.
func packageKeys(p event.Path, text []byte) (keys []string) {
	if p.Base() == goManifest {
		return []string{packageKey(goManifest, modfile.ModulePath(text))}
	}
	if most := manifestBases[p.Base()]; most != 0 {
		for _, m := range packageName().FindAllSubmatch(text, most) {
			keys = append(keys, packageKey(p.Base(), string(m[1])))
		}
	}
	return keys
}

// packageKey returns the key under which the index has the file that describes a package. Rust writes
// a-b as a_b in programs.
func packageKey(base, name string) string { return base + " " + strings.ReplaceAll(name, "_", "-") }

// manifest returns the file with this base name that describes a package of the repository.
func (f files) manifest(base, name string) []event.Path {
	key := packageKey(base, name)
	all, known := f.found[key]
	if !known {
		all = f.describing(base, name)
		f.found[key] = all
	}
	for _, p := range all {
		if !f.less[p] {
			return []event.Path{p}
		}
	}
	return nil
}

// describing returns the files with this base name that describe a package, the best first. One without
// a name, such as a deleted one, describes any package that is called like its folder.
func (m *manifests) describing(base, name string) (out []event.Path) {
	key := packageKey(base, name)
	if p, changed := m.changed[key]; changed {
		out = append(out, p)
	}
	out = append(out, m.Contents.codeUsers(string(importMark)+key, maxSame, func(p event.Path) bool {
		return !m.change[p] && !slices.Contains(m.More, p)
	})...)
	if base == goManifest {
		return out
	}
	if m.unnamed[base] == nil {
		m.unnamed[base] = map[string][]event.Path{}
		for _, p := range (files{m, nil}).base(base) {
			folder := packageKey(base, path.Base(p.Dir()))
			m.unnamed[base][folder] = append(m.unnamed[base][folder], p)
		}
	}
	for _, p := range m.unnamed[base][packageKey(base, path.Base(name))] {
		if len(packageKeys(p, m.Text(p))) == 0 {
			out = append(out, p)
		}
	}
	return out
}

// packageOf returns the name of the npm package of a module: a of a/b, @a/b of @a/b/c.
func packageOf(module string) string {
	parts := strings.SplitN(module, "/", 3)
	if !strings.HasPrefix(module, "@") {
		return parts[0]
	}
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// nodeModules are the modules of Node.js that look like a path.
var nodeModules = event.WordSet(`assert/strict dns/promises fs/promises inspector/promises path/posix path/win32
	readline/promises stream/consumers stream/promises stream/web timers/promises util/types`)

// foreign reports whether a module is part of Node.js, or of a package on which a package.json beside
// or above the file depends.
func (f files) foreign(from event.Path, module string) bool {
	for dir := range upward(from.Dir()) {
		if f.dependencies(dir)[packageOf(module)] {
			return true
		}
	}
	return nodeModules[module]
}

func (m *manifests) dependencies(dir string) map[string]bool {
	if known, read := m.needs[dir]; read {
		return known
	}
	var all struct{ Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]any }
	_ = json.Unmarshal(m.Text(event.Path(path.Join(dir, "package.json"))), &all)
	m.needs[dir] = map[string]bool{}
	for _, list := range [...]map[string]any{all.Dependencies, all.DevDependencies, all.PeerDependencies, all.OptionalDependencies} {
		for name := range list {
			m.needs[dir][name] = true
		}
	}
	return m.needs[dir]
}
