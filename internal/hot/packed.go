package hot

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// packedSets are owned sets of the embedded server as the snapshot has them. Most of a repository's files are not
// worked on today: at the start their sets are only looked through, which takes a third of the time and a tenth of the
// memory, and each becomes a map when a view or a write asks for it. Housekeeping reads them as they are.
type packedSets struct {
	n    atomic.Int64         // how many there are, to be asked without the lock
	mu   sync.Mutex           // guards sets, and is held until a set that leaves it is a map
	sets map[string]packedSet // key → set
}

type packedSet struct {
	owner string // of whose name the first member's may share the beginning
	raw   []byte // see appendMembers
}

func (p packedSet) members() []member {
	d := unpacker{buf: p.raw}
	return d.members(p.owner)
}

func (p *packedSets) keep(key string, set packedSet) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sets == nil {
		p.sets = map[string]packedSet{}
	}
	p.sets[key] = set
	p.n.Store(int64(len(p.sets)))
}

// peek reads a set without unpacking it.
func (p *packedSets) peek(key string) ([]member, bool) {
	if p.n.Load() == 0 {
		return nil, false
	}
	p.mu.Lock()
	set, ok := p.sets[key]
	p.mu.Unlock()
	if !ok {
		return nil, false
	}
	return set.members(), true
}

// below lists the keys that begin so.
func (p *packedSets) below(prefix string) (keys []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.sets {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	return keys
}

// unpack makes a set a map of the server, if it is a packed one. The caller holds s.maps or s.writing; views may read
// other sets meanwhile, and whoever wants this one waits here.
func (s *Store) unpack(key string) error {
	p := &s.packed
	if p.n.Load() == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	packed, ok := p.sets[key]
	if !ok {
		return nil
	}
	ms := packed.members()
	if _, err := s.db.ZAdd(key, ms[0].score, ms[0].name); err != nil {
		return fmt.Errorf("set %q: %w", key, err)
	}
	set, err := s.db.SortedSet(key)
	if err != nil {
		return fmt.Errorf("set %q: %w", key, err)
	}
	for _, m := range ms[1:] {
		set[m.name] = m.score
	}
	delete(p.sets, key)
	if len(p.sets) == 0 {
		p.sets = nil
	}
	p.n.Store(int64(len(p.sets)))
	return nil
}

// exists reports whether the embedded server has a set, packed or not.
func (s *Store) exists(key string) bool {
	_, packed := s.packed.peek(key)
	return packed || s.set(key) != nil
}
