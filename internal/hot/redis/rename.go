package redis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// renames carries over what the server holds already. It is linear, so it may be done before the batch's increments,
// which have their new names. It is one step, however large: a second attempt, which finds another state, must not cut
// it elsewhere.
func (w *writes) renames(moved map[string]string) error {
	if len(moved) == 0 {
		return nil
	}
	olds := slices.Sorted(maps.Keys(moved))
	w.whole = true
	w.moveScores(moved, olds)
	err := w.moveEdges(moved, olds)
	if err == nil {
		err = w.moveSessions(moved)
	}
	if w.whole = false; err != nil {
		return err
	}
	return w.flush(false)
}

// move has the script carry scores of one set over to other members: others write too, so what the script finds counts.
func (w *writes) move(set, how string, found []string, moved map[string]string) {
	words := []any{"MOVE", set, how}
	for _, name := range found {
		words = append(words, name, moved[name])
	}
	w.add(words...)
}

// moveScores moves the members of the global sets, and the sets that renamed files own.
func (w *writes) moveScores(moved map[string]string, olds []string) {
	s := w.store
	for i := range s.table {
		f := &s.table[i]
		for _, k := range s.epochs(f) {
			switch {
			case f.Half == 0:
				w.move(s.keys.set(f, k, ""), "max", olds, moved)
				w.move(s.keys.newest(f), "max", olds, moved)
			case f.Global() && f.Member == hot.NounFile:
				w.move(s.keys.set(f, k, ""), "add", olds, moved)
			case f.Owner == hot.NounFile:
				w.join(f, k, moved, olds)
			}
		}
	}
}

// join has the script move owned sets of one family and epoch. Members that are renamed too take their new names; an
// edge of which both ends became one file is dropped.
func (w *writes) join(f *hot.Family, k int64, moved map[string]string, olds []string) {
	s := w.store
	words := []any{"JOIN", s.keys.set(f, k, olds[0]), len(olds)}
	for _, old := range olds {
		owner := moved[old]
		if f.Member != hot.NounFile {
			owner = "" // a tag may be called like the file
		}
		words = append(words, key(s.keys.set(f, k, old)), key(s.keys.set(f, k, moved[old])), owner)
		delete(s.grown, ownedKey{f, k, old})
		s.grown[ownedKey{f, k, moved[old]}] = true // the next tick looks at what was written
	}
	if f.Member == hot.NounFile {
		for _, old := range olds {
			words = append(words, old, moved[old])
		}
	}
	w.add(words...)
}

// moveEdges renames members in the sets of owners that keep their name.
func (w *writes) moveEdges(moved map[string]string, olds []string) error {
	holders, err := w.store.holders(w.ctx, olds)
	if err != nil {
		return err
	}
	for _, h := range holders {
		if _, ok := moved[h.owner]; ok && h.family.Owner == hot.NounFile {
			continue // join has it
		}
		set := w.store.keys.set(h.family, h.epoch, h.owner)
		w.move(set, "add", h.found, moved)
		if h.family.Owner == hot.NounFile {
			w.add("ZREM", set, h.owner) // an edge of which both ends are one file now
		}
		w.store.grown[h.ownedKey] = true
	}
	return nil
}

// moveSessions renames files inside the live sessions.
func (w *writes) moveSessions(moved map[string]string) error {
	s := w.store
	return s.eachSession(w.ctx, func(id string, rec *hot.SessionRecord) {
		for p := range hot.Parts {
			var found []string
			for _, name := range slices.Sorted(maps.Keys(rec.Parts[p])) {
				if moved[name] != "" && p != hot.PartTerms {
					found = append(found, name)
				}
			}
			if found != nil {
				w.move(s.keys.part(id, p), "max", found, moved)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(rec.Fields)) {
			if now, ok := moved[rec.Fields[f]]; ok && strings.HasPrefix(f, hot.FieldCurrent) {
				w.add("HSET", s.keys.session(id), f, now)
			}
		}
	})
}

// Forget removes a file from every set, session and edge, for good. It searches all sets.
func (s *Store) Forget(ctx context.Context, p event.Path) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.forget(ctx, string(p)); err != nil {
		return fmt.Errorf("forget %s: %w", p.Display(), err)
	}
	return nil
}

func (s *Store) forget(ctx context.Context, file string) error {
	var cmds []command
	for i := range s.table {
		f := &s.table[i]
		for _, k := range s.epochs(f) {
			switch {
			case f.Owner == hot.NounFile:
				cmds = append(cmds, command{"DEL", s.keys.set(f, k, file)})
				delete(s.grown, ownedKey{f, k, file})
			case f.Half == 0:
				cmds = append(cmds, command{"ZREM", s.keys.newest(f), file}, command{"ZREM", s.keys.set(f, k, ""), file})
			case f.Global() && f.Member == hot.NounFile:
				cmds = append(cmds, command{"ZREM", s.keys.set(f, k, ""), file})
			}
		}
	}
	holders, err := s.holders(ctx, []string{file})
	if err != nil {
		return err
	}
	for _, h := range holders {
		cmds = append(cmds, command{"ZREM", s.keys.set(h.family, h.epoch, h.owner), file})
	}
	err = s.eachSession(ctx, func(id string, rec *hot.SessionRecord) {
		for p := range hot.Parts {
			if _, ok := rec.Parts[p][file]; ok && p != hot.PartTerms {
				cmds = append(cmds, command{"ZREM", s.keys.part(id, p), file})
			}
		}
		for f, v := range rec.Fields {
			if v == file && strings.HasPrefix(f, hot.FieldCurrent) {
				cmds = append(cmds, command{"HDEL", s.keys.session(id), f})
			}
		}
	})
	if err != nil {
		return err
	}
	return s.housekeep(ctx, cmds)
}
