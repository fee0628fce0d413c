package hot

import (
	"context"
	"fmt"

	"github.com/aoa-dev/aoa/internal/event"
)

// PlanForget is what removes files from every set, for good. It changes nothing.
func (s *Store) PlanForget(files []event.Path) (out []Change) {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.planForget(files)
}

func (s *Store) planForget(files []event.Path) (out []Change) {
	known := map[uint32]bool{}
	for _, p := range files {
		if id, ok := s.names[NounFile].ids[string(p)]; ok {
			known[id] = true
		}
	}
	texts := s.names[NounFile].texts
	for i, f := range Families {
		for k, sc := range s.sets[i] {
			all := Change{Do: RemoveMembers, Family: f, Epoch: k}
			for id := range known {
				if f.Global() && f.Member == NounFile && sc.of(id) != 0 {
					all.Members = append(all.Members, Member{Name: texts[id]})
				}
			}
			if all.Members != nil {
				out = append(out, all)
			}
			for owner, st := range sc.owned {
				c := Change{Do: RemoveMembers, Family: f, Epoch: k, Owner: s.names[f.Owner].texts[owner]}
				switch {
				case f.Owner == NounFile && known[owner]:
					c.Do = RemoveSet
				case f.Member == NounFile:
					for _, e := range st {
						if known[e.id] {
							c.Members = append(c.Members, Member{Name: texts[e.id]})
						}
					}
				}
				if c.Do == RemoveSet || c.Members != nil {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// Forget removes a file from every set and edge, for good. Facts are the concern of who wrote them. It fails
// only when ctx has ended, and has then changed nothing.
func (s *Store) Forget(ctx context.Context, p event.Path) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("forget %s: %w", p.Display(), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirty[record{NounFile, string(p)}] = true
	for _, c := range s.planForget([]event.Path{p}) {
		s.change(c)
	}
	if id, ok := s.names[NounFile].ids[string(p)]; ok {
		s.names[NounFile].release(id)
	}
	return nil
}
