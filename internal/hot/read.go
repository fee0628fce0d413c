package hot

import (
	"context"
	"maps"
)

// read answers a view: sessions and facts from here, scores from the mirror of a server if they are shared.
func (s *Store) read(ctx context.Context, r *reads) error {
	sets := r.sets
	if mirror := s.mirror.Load(); mirror != nil {
		mirror.mu.RLock()
		mirror.readSets(sets)
		mirror.mu.RUnlock()
		sets = nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.readSets(sets)
	for _, q := range r.sessions {
		q.view.fill(s.sessions[q.id], q.at)
	}
	for _, q := range r.facts {
		if fields := s.facts[q.key]; fields != nil {
			q.facts.Fields = maps.Clone(fields)
		}
	}
	return ctx.Err()
}

func (s *Store) readSets(sets []*setRead) {
	var last lookup
	for _, q := range sets {
		s.readSet(q, &last)
	}
}

// lookup is the last list of members and their ids: a query asks several families for the same list.
type lookup struct {
	members []string
	noun    Noun
	ids     []uint32
}

// noID is the id of no name.
const noID = ^uint32(0)

func (l *lookup) of(members []string, noun Noun, in *names) []uint32 {
	if len(l.members) == len(members) && &l.members[0] == &members[0] && l.noun == noun {
		return l.ids
	}
	*l = lookup{members, noun, make([]uint32, len(members))}
	for i, m := range members {
		id, ok := in.ids[m]
		if !ok {
			id = noID
		}
		l.ids[i] = id
	}
	return l.ids
}

func (s *Store) readSet(q *setRead, last *lookup) {
	f, sc := q.family, s.sets[q.family.index][q.epoch]
	var st set
	switch {
	case q.newest:
		st = s.newest[f.index]
	case sc != nil && !f.Global():
		if owner, ok := s.names[f.Owner].ids[q.owner]; ok {
			st = sc.owned[owner]
		}
	}
	if q.members == nil {
		q.all = s.members(f.Member, st)
		return
	}
	q.scores = make([]float64, len(q.members))
	if sc == nil || !f.Global() && len(st) == 0 {
		return
	}
	for i, id := range last.of(q.members, f.Member, &s.names[f.Member]) {
		if f.Global() {
			q.scores[i] = sc.of(id)
		} else {
			q.scores[i] = st.score(id)
		}
	}
}
