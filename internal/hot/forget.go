package hot

import (
	"context"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Forget removes a file from every set, session and edge, for good. Facts are the concern of who wrote them. Sets are
// searched one by one: some 100 ms for 100,000 files.
func (s *Store) Forget(ctx context.Context, p event.Path) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	file := []string{string(p)}
	var cmds [][]any
	for _, f := range s.families {
		for _, k := range s.epochs(f) {
			switch {
			case f.owner == nounPath:
				cmds = append(cmds, []any{"DEL", s.keys.owned(f, k, string(p))})
				delete(s.grown, ownedKey{f.index, k, string(p)})
			case f.owner == nounNone && f.member == nounPath:
				cmds = append(cmds, []any{"ZREM", s.keys.global(f, k), string(p)})
				if f.half == 0 {
					cmds = append(cmds, []any{"ZREM", s.keys.top(f), string(p)})
				}
			}
		}
	}
	hs, err := s.holders(ctx, file)
	if err != nil {
		return fmt.Errorf("forget %s: %w", p.Display(), err)
	}
	for _, h := range hs {
		f := s.families[h.family]
		cmds = append(cmds, []any{"ZREM", s.keys.owned(f, h.epoch, h.owner), string(p)})
		s.touch(record{f.owner, h.owner})
	}
	err = s.eachSession(ctx, file, func(id string, hash map[string]string, found [parts][]member) {
		for part := range parts {
			if len(found[part]) > 0 {
				cmds = append(cmds, []any{"ZREM", s.keys.part(id, part), string(p)})
			}
		}
		for f, v := range hash {
			if v == string(p) && strings.HasPrefix(f, FieldCurrent) {
				cmds = append(cmds, []any{"HDEL", s.keys.session(id), f})
			}
		}
		s.touch(record{nounSession, id})
	})
	if err != nil {
		return fmt.Errorf("forget %s: %w", p.Display(), err)
	}
	if err := s.run(ctx, cmds); err != nil {
		return fmt.Errorf("forget %s: %w", p.Display(), err)
	}
	s.touch(record{nounPath, string(p)})
	delete(s.known, record{nounPath, string(p)})
	return nil
}
