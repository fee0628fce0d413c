package hot

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Decay drops, after everything else in the batch, what of the global sets is worth less than 0.01 by then: a file that
// nobody has touched for some seven half-lives. Nothing else is rewritten, see the package comment.
func (b *Batch) Decay(at time.Time) {
	b.init()
	b.decay = later(b.decay, at)
	b.newest = max(b.newest, seconds(at))
}

// Sweep drops, after everything else in the batch, what no other housekeeping finds: members worth less than 0.01 of
// owned sets that nobody writes any more, the parts of sessions that have no deadline, names of empty facts.
func (b *Batch) Sweep(at time.Time) {
	b.init()
	b.sweep = later(b.sweep, at)
	b.newest = max(b.newest, seconds(at))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// fade is Decay.
func (s *Store) fade(ctx context.Context, at float64) error {
	for _, f := range s.families {
		if f.owner != nounNone || f.half == 0 {
			continue
		}
		for _, k := range s.epochs(f) {
			g := &get{op: opBelow, key: s.keys.global(f, k), below: pruneBelow / f.decay(at, k)}
			if err := s.read(ctx, []*get{g}); err != nil {
				return err
			}
			var cmds [][]any
			for chunk := range slices.Chunk(ascending(g.set), readChunk) {
				cmds = append(cmds, s.drop(g.key, chunk))
				for _, m := range chunk {
					s.touch(record{f.member, m.name})
				}
			}
			if err := s.run(ctx, cmds); err != nil {
				return err
			}
		}
	}
	return nil
}

// orphans is Sweep. On a server it scans the repository's keys.
func (s *Store) orphans(ctx context.Context, at float64) error {
	for _, f := range s.families {
		if f.owner == nounNone {
			continue
		}
		for _, k := range s.epochs(f) {
			owners, err := s.ownersOf(ctx, f, k)
			if err != nil {
				return err
			}
			for chunk := range slices.Chunk(owners, readChunk) {
				if err := s.sweepSets(ctx, f, k, chunk, at); err != nil {
					return err
				}
			}
		}
	}
	if err := s.sweepFacts(ctx); err != nil {
		return err
	}
	if s.embedded != nil {
		return s.sweepKnown(ctx)
	}
	return s.sweepSessions(ctx)
}

// ownersOf lists, in order, who may own a set of the family and epoch.
func (s *Store) ownersOf(ctx context.Context, f *family, k int64) (out []string, err error) {
	if s.embedded == nil {
		return s.scan(ctx, s.keys.owners(f, k))
	}
	for r := range s.known {
		if r.noun == f.owner && s.owns(f, r) {
			out = append(out, r.text)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (s *Store) sweepSets(ctx context.Context, f *family, k int64, owners []string, at float64) error {
	gets := make([]*get, len(owners))
	for i, o := range owners {
		gets[i] = &get{op: opAll, key: s.keys.owned(f, k, o)}
	}
	if err := s.read(ctx, gets); err != nil {
		return err
	}
	var cmds [][]any
	for i, g := range gets {
		if out := excess(g.set, len(g.set), f.decay(at, k)); len(out) > 0 {
			cmds = append(cmds, s.drop(g.key, out))
			s.touch(record{f.owner, owners[i]})
		}
	}
	return s.run(ctx, cmds)
}

func (s *Store) sweepFacts(ctx context.Context) error {
	index := &get{op: opAll, key: s.keys.facts()}
	if err := s.read(ctx, []*get{index}); err != nil {
		return err
	}
	hashes := make([]*get, len(index.set))
	for i, m := range index.set {
		hashes[i] = &get{op: opHash, key: s.keys.fact(m.name)}
	}
	if err := s.readAll(ctx, hashes); err != nil {
		return err
	}
	var empty []member
	for i, h := range hashes {
		if len(h.hash) == 0 {
			empty = append(empty, index.set[i])
		}
	}
	if len(empty) == 0 {
		return nil
	}
	return s.run(ctx, [][]any{s.drop(index.key, empty)})
}

// sweepSessions removes parts of sessions that have no deadline: left by a writer that died, or by a stranger.
func (s *Store) sweepSessions(ctx context.Context) error {
	live := &get{op: opAll, key: s.keys.expiry()}
	names, err := s.scan(ctx, s.keys.prefix+"session:")
	if err == nil {
		err = s.read(ctx, []*get{live})
	}
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(live.set))
	for _, m := range live.set {
		known[colon.Replace(m.name)] = true
	}
	var cmds [][]any
	for _, n := range names {
		if id, _, _ := strings.Cut(n, ":"); !known[id] {
			cmds = append(cmds, []any{"DEL", s.keys.prefix + "session:" + n})
		}
	}
	return s.run(ctx, cmds)
}

// sweepKnown forgets the names of which nothing is left.
func (s *Store) sweepKnown(ctx context.Context) error {
	var rs []record
	for r := range s.known {
		rs = append(rs, r)
	}
	for chunk := range slices.Chunk(rs, readChunk) {
		for _, r := range chunk {
			if !s.holds(r) {
				delete(s.known, r)
				s.dirty[r] = true
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether the embedded store has any score of a name.
func (s *Store) holds(r record) bool {
	for _, f := range s.families {
		for _, k := range s.snapshotEpochs(f) {
			switch {
			case f.owner == nounNone && f.member == r.noun:
				if _, ok := s.set(s.keys.global(f, k))[r.text]; ok {
					return true
				}
			case f.owner == r.noun && s.owns(f, r) && s.exists(s.keys.owned(f, k, r.text)):
				return true
			}
		}
	}
	return false
}
