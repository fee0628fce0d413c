package rank

import (
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// label has what the path of a file alone tells.
type label struct {
	dir, stem string
	words     []string // words of the base name without its extension
	depth     float64  // between 0 and 1
	file      index.FileKind
	upkeep    bool // the file is a manifest, a lock file or a setting of a tool
	aside     bool // the file is in docs, examples, benchmarks, tools or scripts
}

func newLabel(f event.Path) *label {
	l := &label{dir: f.Dir(), stem: f.PairStem(), depth: unit(float64(strings.Count(string(f), "/")) / deep)}
	base := f.Base()
	if e := f.Ext(); e != "" && len(e) < len(base) {
		base = base[:len(base)-len(e)]
	}
	l.words = index.Terms(base, 16)
	l.file = index.KindOf(f)
	l.upkeep = f.Upkeep()
	for folder := range strings.SplitSeq(l.dir, "/") {
		l.aside = l.aside || asides[strings.ToLower(folder)]
	}
	return l
}

// asides are names of folders that do not contain the program itself.
var asides = map[string]bool{"doc": true, "docs": true, "example": true, "examples": true, "benchmark": true,
	"benchmarks": true, "bench": true, "tools": true,
	"scripts": true, "samples": true, "demo": true, "website": true}

// labels caches labels, because successive questions look at the same files, and splitting names
// was a fifth of a question's time.
type labels struct {
	mu    sync.Mutex
	known map[event.Path]*label
}

// maxLabels is the number of labels that are kept, some 200 bytes each. When it is exceeded all are
// dropped.
const maxLabels = 16_384

func (ls *labels) get(f event.Path) *label {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.known[f]
	if l == nil {
		if ls.known == nil || len(ls.known) >= maxLabels {
			ls.known = map[event.Path]*label{}
		}
		l = newLabel(f)
		ls.known[f] = l
	}
	return l
}
