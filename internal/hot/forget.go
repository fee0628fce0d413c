package hot

import (
	"context"
	"fmt"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Forget removes a file from every set, session and edge, for good. Facts are the concern of who wrote them. It fails
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
	for id, rec := range s.sessions {
		if forgetInSession(rec, string(p)) {
			s.dirty[record{nounSession, id}] = true
		}
	}
	if id, ok := s.names[NounFile].ids[string(p)]; ok {
		for i := range s.table {
			s.forgetScores(&s.table[i], id)
		}
		s.names[NounFile].release(id)
	}
	return nil
}

func (s *Store) forgetScores(f *Family, file uint32) {
	for k, sc := range s.sets[f.index] {
		if f.Owner == NounFile {
			s.setOwned(ownedKey{f.index, k, file}, nil)
		}
		if f.Member != NounFile {
			continue
		}
		for owner, st := range sc.owned {
			if _, ok := st.find(file); ok {
				s.setOwned(ownedKey{f.index, k, owner}, st.remove(file))
			}
		}
		if sc.of(file) != 0 {
			sc.global[file] = 0
		}
		s.newest[f.index] = s.newest[f.index].remove(file)
	}
}

// forgetInSession reports whether the session had the file.
func forgetInSession(rec *SessionRecord, file string) (hit bool) {
	for p := range Parts {
		if _, ok := rec.Parts[p][file]; ok && p != PartTerms {
			delete(rec.Parts[p], file)
			hit = true
		}
	}
	for field, name := range rec.Fields {
		if name == file && strings.HasPrefix(field, FieldCurrent) {
			delete(rec.Fields, field)
			hit = true
		}
	}
	return hit
}
