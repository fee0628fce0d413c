package index

import (
	"path"
	"strings"
)

// importing is an import in a program: of another file, a module or a package.
type importing struct {
	line   int
	module string // as written: .helpers, ./x, com.a.B, github.com/a/b, a/b.h, crate::a
	names  []importedName
	all    bool // it imports every name of the module
}

// modules returns the names of what an import may mean: the module, then each name of Python that
// may be a module in it.
func (i importing) modules(lang *language) []string {
	out := []string{i.module}
	for _, n := range i.names {
		if module := i.within(n, lang); module != "" {
			out = append(out, module)
		}
	}
	return out
}

// within returns the module that a name of an import may be, "" except in Python.
func (i importing) within(n importedName, lang *language) string {
	if lang != python || n.name == "" {
		return ""
	}
	return strings.TrimSuffix(i.module, ".") + "." + n.name // also if the module is ".."
}

// importedName is one name that an import takes from a module. local is its name in the importing
// file.
type importedName struct {
	name, local string
	line        int
}

// importMark is the first byte of the keys of imports and of packages, which are stored among the
// identifiers of a Document; see keys and packageKey.
const importMark = '<'

// keys returns the words by which an import is found in an index: the last part of its module, and
// what may be a module among its names.
func (i importing) keys(lang *language) (keys []string) {
	last := i.module[strings.LastIndexAny(i.module, `./\:`)+1:]
	if lang == clike || lang == script || lang == ruby || lang == styles || lang == php && strings.HasSuffix(i.module, ".php") {
		last = path.Base(i.module)
		if last, _, _ = strings.Cut(last, "."); last == "" { // the folder
			last = "index"
		}
	}
	if last != "" {
		keys = append(keys, last)
	}
	for _, n := range i.names {
		if (lang == python || lang == rust) && n.name != "" && n.name != last && len(keys) < 32 {
			keys = append(keys, n.name)
		}
	}
	return keys
}
