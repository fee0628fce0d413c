package history

import (
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Memo remembers what each file of a change tells about other files, for several questions about
// the same change, each without another of its files. For a change of n files it saves n−1 of n
// computations. It is valid as long as no commit, rename or file is added. It is safe for
// concurrent use. The zero value is empty. Questions with links do not use it.
type Memo struct {
	mu   sync.Mutex // guards the field below
	once map[memoKey]func() []partner
}

// memoKey is what the evidence of a file depends on, besides the commits and the files that exist.
type memoKey struct {
	with    event.Path
	weights *Weights
	diff    bool // it is known what the change does to the file
}

// partners returns what was remembered for a key. The first call computes it, while other calls for
// the same key wait.
func (m *Memo) partners(key memoKey, compute func(add func(*partner))) []partner {
	m.mu.Lock()
	get := m.once[key]
	if get == nil {
		get = sync.OnceValue(func() (all []partner) {
			compute(func(x *partner) { all = append(all, *x) })
			return all
		})
		if m.once == nil {
			m.once = map[memoKey]func() []partner{}
		}
		m.once[key] = get
	}
	m.mu.Unlock()
	return get()
}
