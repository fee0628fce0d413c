package hot

import (
	"context"
	"maps"
)

// Read answers a view: sessions and facts from here, scores from the server if they are shared.
func (s *Store) Read(ctx context.Context, r *Reads) error {
	sets := r.Sets
	if s.Shared() && len(sets) > 0 {
		answered, err := s.readShared(ctx, sets)
		if err != nil {
			return err
		}
		if answered {
			sets = nil
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var last lookup
	for _, q := range sets {
		s.readSet(q, &last)
	}
	for _, q := range r.Sessions {
		q.Answer(s.sessions[q.ID])
	}
	for _, q := range r.facts {
		if fields := s.facts[q.key]; fields != nil {
			q.facts.Fields = maps.Clone(fields)
		}
	}
	return ctx.Err()
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

func (s *Store) readSet(q *SetRead, last *lookup) {
	f, sc := q.Family, s.sets[q.Family.index][q.Epoch]
	var st set
	switch {
	case q.Newest:
		st = s.newest[f.index]
	case sc != nil && !f.Global():
		if owner, ok := s.names[f.Owner].ids[q.Owner]; ok {
			st = sc.owned[owner]
		}
	}
	if q.Members == nil {
		q.All = s.members(f.Member, st)
		return
	}
	q.Scores = make([]float64, len(q.Members))
	if sc == nil || !f.Global() && len(st) == 0 {
		return
	}
	for i, id := range last.of(q.Members, f.Member, &s.names[f.Member]) {
		if f.Global() {
			q.Scores[i] = sc.of(id)
		} else {
			q.Scores[i] = st.score(id)
		}
	}
}
