package hot

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Dirty packs what changed since the last call, or with full everything, in the order of the keys. The records of
// one call are of one moment, between two batches; the record of the store itself carries the applied sequence of
// that moment. Whoever fails to save them gives them back with Redo.
func (s *Store) Dirty(ctx context.Context, full bool) ([]Record, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	todo := slices.AppendSeq(make([]record, 0, len(s.dirty)+1), maps.Keys(s.dirty)) // what is gone, too
	if full {
		var err error
		if todo, err = s.everything(ctx, todo); err != nil {
			return nil, fmt.Errorf("snapshot: %w", err)
		}
	}
	slices.SortFunc(todo, func(a, b record) int {
		if a.noun != b.noun {
			return cmp.Compare(a.noun, b.noun)
		}
		return strings.Compare(a.text, b.text)
	})
	todo = append(slices.Compact(todo), record{noun: nounMeta})
	out, err := s.packAll(ctx, todo)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	s.dirty = map[record]bool{} // cleared, one that an import made large would stay large
	return out, nil
}

// packChunk is how many records are read in one round trip.
const packChunk = 500

// packers is how many chunks are packed at a time: nothing is learned meanwhile, and questions need a processor, too.
const packers = 2

func (s *Store) packAll(ctx context.Context, todo []record) ([]Record, error) {
	var chunks [][]record
	for len(todo) > 0 {
		n := 1
		for n < len(todo) && n < packChunk && todo[n].noun == todo[0].noun {
			n++
		}
		chunks, todo = append(chunks, todo[:n]), todo[n:]
	}
	g, ctx := errgroup.WithContext(ctx)
	packed := make([][]Record, len(chunks))
	for w := range packers {
		g.Go(func() (err error) {
			p := &packer{store: s, print: s.print}
			for i := w; i < len(chunks) && err == nil; i += packers {
				packed[i], err = p.pack(ctx, chunks[i])
			}
			return err
		})
	}
	err := g.Wait()
	return slices.Concat(packed...), err
}

// Redo marks records as changed again, because they could not be saved.
func (s *Store) Redo(recs []Record) {
	s.writing.Lock()
	defer s.writing.Unlock()
	for _, rec := range recs {
		if r, ok := parseRecord(rec.Key); ok && r.noun != nounMeta {
			s.dirty[r] = true
		}
	}
}

// everything adds the names of all records there are, some twice. On a server that takes a scan of its keys.
func (s *Store) everything(ctx context.Context, all []record) ([]record, error) {
	all = slices.AppendSeq(slices.Grow(all, len(s.known)+1), maps.Keys(s.known))
	live, facts := &get{op: opAll, key: s.keys.expiry()}, &get{op: opAll, key: s.keys.facts()}
	gets := []*get{live, facts}
	var nouns []noun
	if s.embedded == nil {
		for _, f := range s.families {
			for _, k := range s.epochs(f) {
				if f.owner == nounNone {
					gets = append(gets, &get{op: opAll, key: s.keys.global(f, k)})
					nouns = append(nouns, f.member)
					continue
				}
				owners, err := s.scan(ctx, s.keys.owners(f, k))
				if err != nil {
					return nil, err
				}
				for _, o := range owners {
					all = append(all, record{f.owner, o})
				}
			}
		}
	}
	if err := s.readAll(ctx, gets); err != nil {
		return nil, err
	}
	for _, m := range live.set {
		all = append(all, record{nounSession, m.name})
	}
	for _, m := range facts.set {
		all = append(all, record{nounFact, m.name})
	}
	for i, n := range nouns {
		for _, m := range gets[i+2].set {
			all = append(all, record{n, m.name})
		}
	}
	return all, nil
}

// packer reads and packs records of one noun at a time.
type packer struct {
	store *Store
	print uint32
	buf   []byte // records are cut from large blocks
}

func (p *packer) pack(ctx context.Context, rs []record) ([]Record, error) {
	var cs []content
	var err error
	switch rs[0].noun {
	case nounSession:
		cs, err = p.sessions(ctx, rs)
	case nounFact:
		cs, err = p.hashes(ctx, rs, p.store.keys.fact)
	case nounMeta:
		cs, err = p.hashes(ctx, rs, func(string) string { return p.store.keys.meta() })
		if err == nil {
			cs[0].fields = append(cs[0].fields, field{fieldApplied, strconv.FormatInt(p.store.applied, 10)})
		}
	default:
		cs, err = p.scores(ctx, rs)
	}
	if err != nil {
		return nil, err
	}
	out := make([]Record, len(rs))
	for i, r := range rs {
		out[i].Key = r.key()
		if !cs[i].empty() {
			out[i].Data = p.cut(&cs[i], r)
		}
	}
	return out, nil
}

// fieldApplied is the applied sequence in the record of the store.
const fieldApplied = "applied"

func (p *packer) cut(c *content, r record) []byte {
	const block = 1 << 20
	if cap(p.buf)-len(p.buf) < 4<<10 {
		p.buf = make([]byte, 0, block)
	}
	start := len(p.buf)
	p.buf = c.pack(p.buf, r, p.print)
	return p.buf[start:len(p.buf):len(p.buf)]
}

// scores reads files, tags or terms: their values in the global sets, and the sets they own.
func (p *packer) scores(ctx context.Context, rs []record) ([]content, error) {
	s, kind := p.store, rs[0].noun
	texts, owned := make([]string, len(rs)), make([]uint16, len(rs))
	for i, r := range rs {
		texts[i], owned[i] = r.text, s.owned(r)
	}
	type column struct {
		family *family
		epoch  int64
		gets   []*get // one: global; len(rs): owned
	}
	var columns []column
	var gets []*get
	for _, f := range s.families {
		for _, k := range s.snapshotEpochs(f) {
			c := column{family: f, epoch: k}
			switch {
			case f.owner == nounNone && f.member == kind:
				c.gets = []*get{{op: opScores, key: s.keys.global(f, k), members: texts}}
			case f.owner == kind:
				prefix := s.keys.owners(f, k)
				c.gets = make([]*get, len(rs)) // nil: owns none
				for i, r := range rs {
					if owned[i]>>f.index&1 == 1 {
						c.gets[i] = &get{op: opAll, key: prefix + r.text}
						gets = append(gets, c.gets[i])
					}
				}
				columns = append(columns, c)
				continue
			default:
				continue
			}
			columns = append(columns, c)
			gets = append(gets, c.gets...)
		}
	}
	if err := s.readAll(ctx, gets); err != nil {
		return nil, err
	}
	cs := make([]content, len(rs))
	for _, c := range columns {
		for i := range rs {
			if c.family.owner == nounNone {
				if v := c.gets[0].scores[i]; v != 0 {
					cs[i].scores = append(cs[i].scores, score{c.family.index, c.epoch, v})
				}
				continue
			}
			if c.gets[i] == nil {
				continue
			}
			if set := c.gets[i].set; len(set) > 0 {
				slices.SortFunc(set, byName)
				grown := s.grown[ownedKey{c.family.index, c.epoch, rs[i].text}]
				cs[i].sets = append(cs[i].sets, ownedSet{family: c.family.index, epoch: c.epoch, grown: grown, members: set})
			}
		}
	}
	return cs, nil
}

func byName(a, b member) int { return strings.Compare(a.name, b.name) }

// snapshotEpochs are those that a reader at the newest time adds, and where that time cannot be, because the clock leapt
// and came back, those that one adds now.
func (s *Store) snapshotEpochs(f *family) []int64 {
	if f.half == 0 {
		return []int64{0}
	}
	return union(f.live(s.newest), f.live(s.believable(s.newest)))
}

func (p *packer) hashes(ctx context.Context, rs []record, key func(string) string) ([]content, error) {
	gets := make([]*get, len(rs))
	for i, r := range rs {
		gets[i] = &get{op: opHash, key: key(r.text)}
	}
	if err := p.store.readAll(ctx, gets); err != nil {
		return nil, err
	}
	cs := make([]content, len(rs))
	for i, g := range gets {
		cs[i].fields = sortedFields(g.hash)
	}
	return cs, nil
}

func sortedFields(h map[string]string) []field {
	fs := make([]field, 0, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		fs = append(fs, field{name, h[name]})
	}
	return fs
}

func (p *packer) sessions(ctx context.Context, rs []record) ([]content, error) {
	s := p.store
	const width = int(parts) + 2
	var gets []*get
	for _, r := range rs {
		gets = append(gets, &get{op: opHash, key: s.keys.session(r.text)},
			&get{op: opScores, key: s.keys.expiry(), members: []string{r.text}})
		for part := range parts {
			gets = append(gets, &get{op: opAll, key: s.keys.part(r.text, part)})
		}
	}
	if err := s.readAll(ctx, gets); err != nil {
		return nil, err
	}
	cs := make([]content, len(rs))
	for i := range rs {
		g := gets[i*width : (i+1)*width]
		cs[i].fields, cs[i].deadline = sortedFields(g[0].hash), g[1].scores[0]
		for part := range parts {
			cs[i].parts[part] = g[int(part)+2].set
			slices.SortFunc(cs[i].parts[part], byName)
		}
	}
	return cs, nil
}
