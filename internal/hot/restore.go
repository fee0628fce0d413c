package hot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Restore loads the records of a snapshot into an empty store, in any number of calls. A damaged record is skipped
// and counted in Size.Skipped; records made under other half-lives are refused with ErrHalfLives before anything is
// loaded. The newest time and the applied sequence come back with the store's own record.
func (s *Store) Restore(ctx context.Context, recs []Record) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	l := &loader{store: s, sets: map[string][]member{}, texts: map[string]string{}}
	for _, rec := range recs {
		if len(rec.Data) == 0 {
			continue // was gone already
		}
		r, ok := parseRecord(rec.Key)
		if !ok {
			s.skipped++
			continue
		}
		c, err := unpack(r, rec.Data, s.print, len(s.families), l.text)
		switch {
		case errors.Is(err, ErrHalfLives):
			return fmt.Errorf("restore snapshot: %w", err)
		case err != nil:
			s.skipped++
			continue
		}
		l.add(r, c)
	}
	if err := l.load(ctx); err != nil {
		return fmt.Errorf("restore snapshot: %w", err)
	}
	return nil
}

// loader gathers records by the set they belong to.
type loader struct {
	store   *Store
	sets    map[string][]member // key → members
	texts   map[string]string   // each name once: it is a member of many sets
	cmds    [][]any             // hashes
	applied int64
	newest  float64
	dated   bool
}

func (l *loader) text(b []byte) string {
	if known, ok := l.texts[string(b)]; ok {
		return known
	}
	t := string(b)
	l.texts[t] = t
	return t
}

func (l *loader) add(r record, c *content) {
	s := l.store
	text := r.text
	switch r.noun {
	case nounSession:
		l.session(r.text, c)
		return
	case nounFact:
		l.fields(s.keys.fact(r.text), c.fields)
		l.sets[s.keys.facts()] = append(l.sets[s.keys.facts()], member{r.text, 1})
		return
	case nounMeta:
		l.meta(c)
		return
	}
	if s.embedded != nil {
		s.known[r] |= 0
	}
	for _, sc := range c.scores {
		f := s.families[sc.family]
		if f.owner != nounNone || f.member != r.noun {
			continue
		}
		key := s.keys.global(f, sc.epoch)
		l.sets[key] = append(l.sets[key], member{text, sc.value})
	}
	for _, set := range c.sets {
		f := s.families[set.family]
		if f.owner != r.noun || len(set.members) == 0 {
			continue
		}
		l.sets[s.keys.owned(f, set.epoch, text)] = set.members
		if s.embedded != nil {
			s.known[r] |= 1 << f.index
		}
		if set.grown || len(set.members) > f.keep {
			s.grown[ownedKey{f.index, set.epoch, text}] = true
		}
	}
}

func (l *loader) session(id string, c *content) {
	keys := l.store.keys
	l.fields(keys.session(id), c.fields)
	l.sets[keys.expiry()] = append(l.sets[keys.expiry()], member{id, c.deadline})
	for p := range parts {
		if len(c.parts[p]) > 0 {
			l.sets[keys.part(id, p)] = c.parts[p]
		}
	}
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

func (l *loader) load(ctx context.Context) error {
	s := l.store
	for _, f := range s.families {
		if f.half != 0 {
			continue
		}
		// The newest stamps in order are not packed: they are the newest of all.
		if ms := newest(l.sets[s.keys.global(f, 0)]); len(ms) > 0 {
			l.sets[s.keys.top(f)] = ms
		}
	}
	if l.dated {
		s.newest = max(s.newest, l.newest)
	}
	if l.applied > s.applied {
		s.applied, s.step = l.applied, 0
		l.cmds = append(l.cmds, []any{"SET", s.keys.applied(s.writer), l.applied})
	}
	if err := s.run(ctx, l.cmds); err != nil {
		return err
	}
	if s.embedded != nil {
		return l.direct()
	}
	return l.wire(ctx)
}

// newest picks the topKeep highest without sorting all by name.
func newest(all []member) []member {
	floor := math.Inf(-1)
	if len(all) > topKeep {
		scores := make([]float64, len(all))
		for i, m := range all {
			scores[i] = m.score
		}
		slices.Sort(scores)
		floor = scores[len(scores)-topKeep]
	}
	var ms []member
	for _, m := range all {
		if m.score >= floor {
			ms = append(ms, m)
		}
	}
	highest(ms)
	return ms[:min(topKeep, len(ms))]
}

// direct fills the embedded server's own maps: parsing a million numbers would take longer than reading the snapshot.
func (l *loader) direct() error {
	s := l.store
	s.maps.Lock()
	defer s.maps.Unlock()
	for key, ms := range l.sets {
		if _, err := s.db.ZAdd(key, ms[0].score, ms[0].name); err != nil {
			return fmt.Errorf("set %q: %w", key, err)
		}
		set := s.set(key)
		for _, m := range ms[1:] {
			set[m.name] = m.score
		}
	}
	return nil
}

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
