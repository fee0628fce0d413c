package hot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pruneBelow is the worth under which a member of an owned set is dropped.
const pruneBelow = 0.01

// keepHouse does what the batch asks for besides learning. It is not part of the batch's steps: what a failure leaves
// undone, the next tick does.
func (s *Store) keepHouse(ctx context.Context, b *Batch) error {
	for _, job := range []struct {
		what string
		at   time.Time
		do   func(context.Context, float64) error
	}{{"trim", b.trim, s.tidy}, {"decay", b.decay, s.fade}, {"sweep", b.sweep, s.orphans}} {
		if job.at.IsZero() {
			continue
		}
		if err := job.do(ctx, seconds(job.at)); err != nil {
			return fmt.Errorf("%s: %w", job.what, err)
		}
	}
	return nil
}

// tidy is the tick. Doing it twice is doing it once.
func (s *Store) tidy(ctx context.Context, at float64) error {
	for _, step := range []func(context.Context, float64) error{s.trimSets, s.trimTops, s.reap, s.dropEpochs} {
		if err := step(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// trimSets looks at the owned sets that were written since the last tick; the others have only decayed, which changes
// no order.
func (s *Store) trimSets(ctx context.Context, at float64) error {
	keys := make([]ownedKey, 0, len(s.grown))
	for k := range s.grown {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b ownedKey) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.epoch, b.epoch), cmp.Compare(a.owner, b.owner))
	})
	for chunk := range slices.Chunk(keys, readChunk) {
		gets := make([]*get, len(chunk))
		for i, k := range chunk {
			gets[i] = &get{op: opAll, key: s.keys.owned(s.families[k.family], k.epoch, k.owner)}
		}
		if err := s.read(ctx, gets); err != nil {
			return err
		}
		var cmds [][]any
		for i, g := range gets {
			f := s.families[chunk[i].family]
			if out := excess(g.set, f.keep, f.decay(at, chunk[i].epoch)); len(out) > 0 {
				cmds = append(cmds, s.drop(g.key, out))
			}
			s.touch(record{f.owner, chunk[i].owner})
		}
		if err := s.run(ctx, cmds); err != nil {
			return err
		}
	}
	s.grown = map[ownedKey]bool{}
	return nil
}

// excess is what a set loses: members worth less than 0.01 (also negative ones, left by subtractions), and all but
// the keep highest.
func excess(set []member, keep int, factor float64) []member {
	highest(set)
	n := min(keep, len(set))
	for n > 0 && coarse(set[n-1].score*factor) < pruneBelow {
		n--
	}
	return set[n:]
}

func remove(key string, ms []member) []any {
	args := make([]any, 0, 2+len(ms))
	args = append(args, "ZREM", key)
	for _, m := range ms {
		args = append(args, m.name)
	}
	return args
}

// drop removes members as they were read. On a server those stay that another daemon has added to since: the next tick
// looks at them again.
func (s *Store) drop(key string, ms []member) []any {
	if s.embedded != nil {
		return remove(key, ms)
	}
	args := make([]any, 0, 2+2*len(ms))
	args = append(args, "DROP", key)
	for _, m := range ms {
		args = append(args, m.name, m.score)
	}
	return args
}

// trimTops keeps the newest stamps. In the own store those of a clock that ran ahead go, too: they would be in the way of
// the newest.
func (s *Store) trimTops(ctx context.Context, _ float64) error {
	for _, f := range s.families {
		if f.half != 0 {
			continue
		}
		g := &get{op: opAll, key: s.keys.top(f)}
		if err := s.read(ctx, []*get{g}); err != nil {
			return err
		}
		highest(g.set)
		early := 0
		for s.embedded != nil && early < len(g.set) && s.ahead(g.set[early].score) {
			early++
		}
		out := slices.Clone(g.set[:early])
		if right := g.set[early:]; len(right) > topKeep {
			out = append(out, right[topKeep:]...)
		}
		if len(out) > 0 {
			if err := s.run(ctx, [][]any{s.drop(g.key, out)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// reap removes the sessions whose deadline has passed, and in the own store those whose deadline a clock set that ran
// ahead: they would live on for as long.
func (s *Store) reap(ctx context.Context, at float64) error {
	g := &get{op: opAll, key: s.keys.expiry()}
	if err := s.read(ctx, []*get{g}); err != nil {
		return err
	}
	var cmds [][]any
	for _, m := range ascending(g.set) {
		if m.score > at && (s.embedded == nil || !s.ahead(m.score)) {
			continue
		}
		cmds = append(cmds, s.end(m.name, at)...)
		s.touch(record{nounSession, m.name})
	}
	return s.run(ctx, cmds)
}

// end removes a session, on a server unless its deadline was moved since.
func (s *Store) end(id string, at float64) [][]any {
	if s.embedded == nil {
		reap := []any{"REAP", s.keys.expiry(), at, id, touched(s.keys.session(id))}
		for p := range parts {
			reap = append(reap, touched(s.keys.part(id, p)))
		}
		return [][]any{reap}
	}
	del := []any{"DEL", s.keys.session(id)}
	for p := range parts {
		del = append(del, s.keys.part(id, p))
	}
	return [][]any{del, {"ZREM", s.keys.expiry(), id}}
}

// dropEpochs deletes the sets of epochs that no reader adds any more. An epoch lasts 32 half-lives, so there is
// something to do once in months, and only then are the keys of owned sets searched for.
func (s *Store) dropEpochs(ctx context.Context, at float64) error {
	meta := &get{op: opHash, key: s.keys.meta()}
	if err := s.read(ctx, []*get{meta}); err != nil {
		return err
	}
	var cmds [][]any
	for _, f := range s.families {
		if f.half == 0 {
			continue
		}
		k := f.epoch(at)
		before, err := strconv.ParseInt(meta.hash[metaEpoch+f.Name], 10, 64)
		if err == nil && before >= k {
			continue
		}
		cmds = append(cmds, []any{s.op("HSET", "GROW"), s.keys.meta(), metaEpoch + f.Name, k})
		if err != nil {
			continue // the first tick: Apply and Restore write no epoch that is too old
		}
		if f.owner == nounNone {
			for old := before - 1; old < k-1; old++ {
				cmds = append(cmds, []any{"DEL", s.keys.global(f, old)})
			}
			continue
		}
		dead, err := s.scan(ctx, s.keys.family(f))
		if err != nil {
			return err
		}
		for _, name := range dead {
			epoch, owner, _ := strings.Cut(name, ":")
			if old, err := strconv.ParseInt(epoch, 10, 64); err == nil && old < k-1 {
				cmds = append(cmds, []any{"DEL", s.keys.owned(f, old, owner)})
				s.touch(record{f.owner, owner})
			}
		}
	}
	return s.run(ctx, cmds)
}

// run carries out housekeeping commands, each of which may be repeated, in transactions of bounded size.
func (s *Store) run(ctx context.Context, cmds [][]any) error {
	for chunk := range slices.Chunk(cmds, readChunk) {
		if err := s.once(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) once(ctx context.Context, cmds [][]any) error {
	if len(cmds) == 0 {
		return nil
	}
	if s.embedded == nil {
		return s.eval(ctx, cmds, "", "")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.execute(cmds, nil)
}
