package hot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Fields of the record of the store itself.
const (
	fieldApplied = "applied" // sequence of the last batch
	fieldNewest  = "newest"  // latest time of all events, Unix seconds
	fieldEpoch   = "epoch:"  // family → epoch of its last tick
)

func (s *Store) codec() codec { return codec{fingerprint(), &s.names} }

// Dirty encodes what changed since the last call, or with full everything, in the order of the keys. The records of
// one call are of one moment, between two batches; the record of the store itself carries the applied sequence of
// that moment. Whoever fails to save them asks for everything the next time. It fails only when ctx has ended.
func (s *Store) Dirty(ctx context.Context, full bool) ([]Record, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	todo := s.changed(full)
	out := make([]Record, 0, len(todo))
	c, epochs := s.codec(), s.live()
	var buf []byte // records are cut from large blocks
	for _, r := range todo {
		from := s.content(r, epochs)
		if from.empty() {
			out = append(out, Record{Key: r.key()})
			continue
		}
		if cap(buf)-len(buf) < 4<<10 {
			buf = make([]byte, 0, 1<<20)
		}
		start := len(buf)
		buf = c.encode(buf, r, &from)
		out = append(out, Record{r.key(), buf[start:len(buf):len(buf)]})
	}
	for i := range s.names {
		clear(s.names[i].dirty)
	}
	s.dirty = map[record]bool{} // cleared, one that an import made large would stay large
	return out, nil
}

// changed lists the records that Dirty encodes, in order; the store's own is the last.
func (s *Store) changed(full bool) []record {
	todo := slices.AppendSeq([]record{}, maps.Keys(s.dirty)) // what is gone, too
	for noun := NounFile; noun <= NounTerm; noun++ {
		for id, text := range s.names[noun].texts {
			if text != "" && (full || s.names[noun].dirty[id]) {
				todo = append(todo, record{noun, text})
			}
		}
	}
	if full {
		for key := range s.facts {
			todo = append(todo, record{nounFact, key})
		}
	}
	slices.SortFunc(todo, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.noun, b.noun),
			cmp.Compare(a.text, b.text))
	})
	return append(slices.Compact(todo), record{noun: nounMeta})
}

// content gathers what the store has for a record, of those epochs by family.
func (s *Store) content(r record, epochs [][]int64) content {
	switch r.noun {
	case nounFact:
		return content{fields: fields(s.facts[r.text])}
	case nounMeta:
		return content{fields: s.meta()}
	}
	var c content
	id, ok := s.names[r.noun].ids[r.text]
	if !ok {
		return c
	}
	for i, f := range Families {
		if f.Owner != r.noun && (!f.Global() || f.Member != r.noun) {
			continue
		}
		for _, k := range epochs[i] {
			sc := s.sets[i][k]
			if sc == nil {
				continue
			}
			if v := sc.of(id); v != 0 {
				c.scores = append(c.scores, score{f.index, k, v})
			}
			if st := sc.owned[id]; len(st) > 0 {
				c.sets = append(c.sets, ownedSet{f.index, k, s.grown[ownedKey{f.index, k, id}], st})
			}
		}
	}
	return c
}

// live are by family the epochs that a reader at the latest time adds, and where that time cannot be, because the clock
// leapt and came back, those that one adds now.
func (s *Store) live() [][]int64 {
	out := make([][]int64, len(Families))
	for i, f := range Families {
		out[i] = f.Live(s.latest)
		for _, k := range f.Live(s.clock.Believable(s.latest)) {
			if !slices.Contains(out[i], k) {
				out[i] = append(out[i], k)
			}
		}
	}
	return out
}

func fields(m map[string]string) []field {
	fs := make([]field, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fs = append(fs, field{name, m[name]})
	}
	return fs
}

func (s *Store) meta() []field {
	m := map[string]string{}
	if s.latest > Undated {
		m[fieldNewest] = strconv.FormatFloat(s.latest, 'f', -1, 64)
	}
	for family, k := range s.trimmed {
		m[fieldEpoch+family] = strconv.FormatInt(k, 10)
	}
	return append(fields(m), field{fieldApplied, strconv.FormatInt(s.applied, 10)})
}

// Restore loads the records of a snapshot into an empty store, in any number of calls. It skips a damaged record and
// counts it in Size.Skipped. A record made under other half-lives ends it with ErrHalfLives, and the store is to be
// thrown away. The latest time and the applied sequence come back with the store's own record.
func (s *Store) Restore(ctx context.Context, recs []Record) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("restore snapshot: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stamps := make([][]Member, len(Families))
	d := decoder{codec: s.codec()}
	for _, rec := range recs {
		if len(rec.Data) == 0 {
			continue // was gone already
		}
		r, ok := parseRecord(rec.Key)
		if !ok {
			s.skipped++
			continue
		}
		c, err := d.decode(r, rec.Data)
		switch {
		case errors.Is(err, ErrHalfLives):
			return fmt.Errorf("restore snapshot: %w", err)
		case err != nil:
			s.skipped++
		default:
			s.restore(r, c, stamps)
		}
	}
	for i, ms := range stamps {
		s.restoreNewest(Families[i], ms)
	}
	return nil
}

// restore loads one record, and lists its stamps by family.
func (s *Store) restore(r record, c *content, stamps [][]Member) {
	switch r.noun {
	case nounFact:
		s.facts[r.text] = fieldMap(c.fields)
		return
	case nounMeta:
		s.restoreMeta(c.fields)
		return
	}
	id := s.names[r.noun].id(r.text)
	for _, sc := range c.scores {
		f := Families[sc.family]
		if !f.Global() || f.Member != r.noun {
			continue
		}
		*s.scores(f, sc.epoch).member(id) = sc.value
		if f.Half == 0 {
			stamps[f.index] = append(stamps[f.index], Member{s.names[r.noun].texts[id], sc.value})
		}
	}
	for _, st := range c.sets {
		f := Families[st.family]
		if f.Owner != r.noun || len(st.members) == 0 {
			continue
		}
		s.scores(f, st.epoch).owned[id] = st.members
		if st.grown || len(st.members) > f.Keep {
			s.grown[ownedKey{f.index, st.epoch, id}] = true
		}
	}
}

// restoreNewest puts the newest stamps in order: they are not in the snapshot, they are the newest of all.
func (s *Store) restoreNewest(f *Family, ms []Member) {
	ids := &s.names[f.Member]
	newest := set{}
	for _, m := range Best(append(s.members(f.Member, s.newest[f.index]), ms...), NewestKept) {
		newest = newest.put(ids.id(m.Name), m.Score)
	}
	s.newest[f.index] = newest
}

func fieldMap(fs []field) map[string]string {
	m := make(map[string]string, len(fs))
	for _, f := range fs {
		m[f.name] = f.value
	}
	return m
}

func (s *Store) restoreMeta(fs []field) {
	for _, f := range fs {
		n, err := strconv.ParseInt(f.value, 10, 64)
		family, isEpoch := strings.CutPrefix(f.name, fieldEpoch)
		switch {
		case f.name == fieldNewest:
			if at, err := strconv.ParseFloat(f.value, 64); err == nil {
				s.latest = max(s.latest, at) // a clock that is behind now does not make it older
			}
		case err != nil:
		case f.name == fieldApplied:
			s.applied = max(s.applied, n)
		case isEpoch:
			s.trimmed[family] = n
		}
	}
}
