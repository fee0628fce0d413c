package index

import (
	"encoding/json"
	"path"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/aoa-dev/aoa/internal/event"
)

// manifests reads what the packages of a repository are called, and on which others they depend.
type manifests struct {
	text  func(event.Path) []byte
	root  func() string                    // the path of the Go module at the root
	named map[string]map[string]event.Path // for package.json and Cargo.toml, by name; see manifest
	needs map[string]map[string]bool       // for each folder that was asked about, the dependencies of its package.json
}

func newManifests(text func(event.Path) []byte) *manifests {
	root := sync.OnceValue(func() string { return modfile.ModulePath(text("go.mod")) })
	return &manifests{text, root, map[string]map[string]event.Path{}, map[string]map[string]bool{}}
}

// packageName finds the name in a package.json or a Cargo.toml.
var packageName = LazyRegexp(`\bname"?\s*[:=]\s*"([^"]+)"`)

// manifest returns the file with this base name that describes a package of the repository. One without
// a name, such as a deleted one, describes any package that is called like its folder.
func (f files) manifest(base, name string) []event.Path {
	key := func(name string) string { return strings.ReplaceAll(name, "_", "-") } // Rust writes one as the other
	if f.named[base] == nil {
		f.named[base] = map[string]event.Path{}
		most := -1
		if base == "package.json" {
			most = 1 // what follows are other names, such as that of the author; in Rust that of the library
		}
		all := f.base(base)
		for _, p := range all[:min(len(all), maxReferences)] {
			names := packageName().FindAllSubmatch(f.text(p), most)
			if names == nil {
				f.named[base][key("/"+path.Base(p.Dir()))] = p
			}
			for _, m := range names {
				f.named[base][key(string(m[1]))] = p
			}
		}
	}
	for _, name := range [...]string{name, "/" + path.Base(name)} {
		if p, known := f.named[base][key(name)]; known {
			return []event.Path{p}
		}
	}
	return nil
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
	for dir, name := from.Dir(), packageOf(module); ; dir = path.Dir("/" + dir)[1:] {
		if nodeModules[module] || f.dependencies(dir)[name] {
			return true
		}
		if dir == "" {
			return false
		}
	}
}

func (m *manifests) dependencies(dir string) map[string]bool {
	if known, read := m.needs[dir]; read {
		return known
	}
	var all struct{ Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]any }
	_ = json.Unmarshal(m.text(event.Path(path.Join(dir, "package.json"))), &all)
	m.needs[dir] = map[string]bool{}
	for _, list := range [...]map[string]any{all.Dependencies, all.DevDependencies, all.PeerDependencies, all.OptionalDependencies} {
		for name := range list {
			m.needs[dir][name] = true
		}
	}
	return m.needs[dir]
}
