package hot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Restore loads the records of a snapshot into an empty store, in any number of calls. A damaged record is skipped
// and counted in Size.Skipped; a record made under other half-lives ends it with ErrHalfLives, and the store is to be
// thrown away. The newest time and the applied sequence come back with the store's own record.
func (s *Store) Restore(ctx context.Context, recs []Record) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	l := &loader{store: s, sets: map[string][]member{}, scores: map[scoreSet][]member{},
		stamps: map[uint8][]member{}}
	if err := l.all(recs); err != nil {
		return fmt.Errorf("restore snapshot: %w", err)
	}
	if err := l.finish(ctx); err != nil {
		return fmt.Errorf("restore snapshot: %w", err)
	}
	return nil
}

// all loads the records: embedded straight into the server's own maps, for parsing a million numbers would take longer
// than reading the snapshot, and owned sets only when they are asked for (see packedSets); for a server they are
// gathered by key.
func (l *loader) all(recs []Record) error {
	s := l.store
	if s.embedded != nil {
		s.maps.Lock()
		defer s.maps.Unlock()
	}
	d := unpacker{raw: s.embedded != nil}
	for _, rec := range recs {
		if len(rec.Data) == 0 {
			continue // was gone already
		}
		r, ok := parseRecord(rec.Key)
		if !ok {
			s.skipped++
			continue
		}
		c, err := d.unpack(r, rec.Data, s.print, len(s.families))
		switch {
		case errors.Is(err, ErrHalfLives):
			return err
		case err != nil:
			s.skipped++
			continue
		}
		if err := l.add(r, c); err != nil {
			return err
		}
	}
	return l.global()
}

// scoreSet is a global set.
type scoreSet struct {
	family uint8
	epoch  int64
}

// loader loads records into the sets they belong to.
type loader struct {
	store   *Store
	sets    map[string][]member   // on a server: key → members
	scores  map[scoreSet][]member // of the global sets
	stamps  map[uint8][]member    // of the families of stamps: what came in
	cmds    [][]any               // hashes
	applied int64
	newest  float64
	dated   bool
}

// put adds members to a set.
func (l *loader) put(key string, ms ...member) error {
	s := l.store
	if s.embedded == nil {
		l.sets[key] = append(l.sets[key], ms...)
		return nil
	}
	if len(ms) == 0 {
		return nil
	}
	if _, err := s.db.ZAdd(key, ms[0].score, ms[0].name); err != nil {
		return fmt.Errorf("set %q: %w", key, err)
	}
	if len(ms) == 1 {
		return nil
	}
	set := s.set(key)
	for _, m := range ms[1:] {
		set[m.name] = m.score
	}
	return nil
}

// score notes one member of a global set.
func (l *loader) score(sc score, f *family, name string) {
	if f.half == 0 {
		l.stamps[f.index] = append(l.stamps[f.index], member{name, sc.value})
	}
	id := scoreSet{sc.family, sc.epoch}
	l.scores[id] = append(l.scores[id], member{name, sc.value})
}

// global adds the members of the global sets, set by set: these are large, and one at a time stays in the processor's
// cache.
func (l *loader) global() error {
	for id, ms := range l.scores {
		if err := l.put(l.store.keys.global(l.store.families[id.family], id.epoch), ms...); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) add(r record, c *content) error {
	s := l.store
	switch r.noun {
	case nounSession:
		return l.session(r.text, c)
	case nounFact:
		l.fields(s.keys.fact(r.text), c.fields)
		return l.put(s.keys.facts(), member{r.text, 1})
	case nounMeta:
		l.meta(c)
		return nil
	}
	owns := uint16(0)
	for _, sc := range c.scores {
		f := s.families[sc.family]
		if f.owner != nounNone || f.member != r.noun {
			continue
		}
		l.score(sc, f, r.text)
	}
	for _, set := range c.sets {
		f := s.families[set.family]
		if f.owner != r.noun || len(set.members)+set.n == 0 {
			continue
		}
		if key := s.keys.owned(f, set.epoch, r.text); set.n > 0 {
			s.packed.keep(key, packedSet{r.text, bytes.Clone(set.raw)}) // not the block that it was cut from
		} else if err := l.put(key, set.members...); err != nil {
			return err
		}
		owns |= 1 << f.index
		if set.grown || len(set.members)+set.n > f.keep {
			s.grown[ownedKey{f.index, set.epoch, r.text}] = true
		}
	}
	if s.embedded != nil {
		s.known[r] |= owns
	}
	return nil
}

func (l *loader) session(id string, c *content) error {
	keys := l.store.keys
	l.fields(keys.session(id), c.fields)
	if err := l.put(keys.expiry(), member{id, c.deadline}); err != nil {
		return err
	}
	for p := range parts {
		if err := l.put(keys.part(id, p), c.parts[p]...); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) meta(c *content) {
	kept := c.fields[:0]
	for _, f := range c.fields {
		switch f.name {
		case fieldApplied:
			if n, err := strconv.ParseInt(f.value, 10, 64); err == nil {
				l.applied = n
			}
			continue
		case metaNewest:
			if v, err := strconv.ParseFloat(f.value, 64); err == nil {
				l.newest, l.dated = v, true
			}
		}
		kept = append(kept, f)
	}
	l.fields(l.store.keys.meta(), kept)
}

func (l *loader) fields(key string, fs []field) {
	if len(fs) == 0 {
		return
	}
	args := []any{"HSET", key}
	for _, f := range fs {
		args = append(args, f.name, f.value)
	}
	l.cmds = append(l.cmds, args)
}

// finish writes what is no score: the newest stamps in order, hashes, and how far the writer had come.
func (l *loader) finish(ctx context.Context) error {
	s := l.store
	if err := l.wire(ctx); err != nil {
		return err
	}
	if err := l.tops(ctx); err != nil {
		return err
	}
	if l.dated {
		s.newest = max(s.newest, l.newest) // a clock that is behind now does not make it older
	}
	if l.applied > s.applied {
		s.applied, s.step = l.applied, 0
		l.cmds = append(l.cmds, []any{"SET", s.keys.applied(s.writer), l.applied})
	}
	return s.run(ctx, l.cmds)
}

// tops merges the newest stamps that came in with those that were there: they are not packed, they are the newest of
// all.
func (l *loader) tops(ctx context.Context) error {
	s := l.store
	for i, ms := range l.stamps {
		key := s.keys.top(s.families[i])
		g := &get{op: opAll, key: key}
		if err := s.readAll(ctx, []*get{g}); err != nil {
			return err
		}
		add, kept := []any{"ZADD", key}, map[string]bool{}
		for _, m := range best(append(slices.Clone(g.set), ms...), topKeep) {
			add, kept[m.name] = append(add, m.score, m.name), true
		}
		l.cmds = append(l.cmds, add)
		if out := slices.DeleteFunc(g.set, func(m member) bool { return kept[m.name] }); len(out) > 0 {
			l.cmds = append(l.cmds, remove(key, out))
		}
	}
	return nil
}

// wire sends what was gathered for a server.
func (l *loader) wire(ctx context.Context) error {
	keys := slices.SortedFunc(maps.Keys(l.sets), cmp.Compare[string])
	var cmds [][]any
	n := 0
	for _, key := range keys {
		for chunk := range slices.Chunk(l.sets[key], readChunk) {
			args := []any{"ZADD", key}
			for _, m := range chunk {
				args = append(args, m.score, m.name)
			}
			cmds = append(cmds, args)
			if n += len(args); n >= argsPerStep {
				if err := l.store.once(ctx, cmds); err != nil {
					return err
				}
				cmds, n = nil, 0
			}
		}
	}
	return l.store.run(ctx, cmds)
}
