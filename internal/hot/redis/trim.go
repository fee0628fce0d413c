package redis

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/hot"
)

// trim is the tick. Doing it twice is doing it once.
func (s *Store) trim(ctx context.Context, at float64) error {
	if err := s.trimSets(ctx, slices.Collect(maps.Keys(s.grown)), at, true); err != nil {
		return err
	}
	s.grown = map[ownedKey]bool{}
	for _, step := range []func(context.Context, float64) error{s.trimNewest, s.expire, s.dropEpochs} {
		if err := step(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// trimSets drops what owned sets have in excess; unless bounded only what is worth too little.
func (s *Store) trimSets(ctx context.Context, sets []ownedKey, at float64, bounded bool) error {
	changed := s.table.Of(hot.Changed)
	for chunk := range slices.Chunk(sets, readChunk/3) {
		reads := make([]*hot.SetRead, 0, 3*len(chunk)) // of each the set, that of the other epoch, and the owner's last change
		for _, k := range chunk {
			other, _ := k.family.Beside(k.epoch, at)
			reads = append(reads, k.read(nil), ownedKey{k.family, other, k.owner}.read(nil), &hot.SetRead{Family: changed, Members: []string{k.owner}})
		}
		if err := s.readAll(ctx, reads); err != nil {
			return err
		}
		var cmds []command
		for i, k := range chunk {
			f, set, also, at := k.family, reads[3*i], reads[3*i+1], at
			keep := math.MaxInt
			if bounded {
				keep = f.Keep
			}
			if _, both := f.Beside(k.epoch, at); !both {
				also.All = nil
			}
			if f.Rests {
				at = hot.Rested(at, reads[3*i+2].Scores[0], s.clock)
			}
			if out := f.Excess(set.All, f.Worth(at, k.epoch), also.All, f.Worth(at, also.Epoch), keep); len(out) > 0 {
				cmds = append(cmds, drop(s.keys.of(set), out))
			}
		}
		if err := s.housekeep(ctx, cmds); err != nil {
			return err
		}
	}
	return nil
}

// drop removes members as they were read. Those stay that another daemon has added to since: the next tick looks at
// them again.
func drop(set string, ms []hot.Member) command {
	c := command{"DROP", set}
	for _, m := range ms {
		c = append(c, m.Name, m.Score)
	}
	return c
}

// trimNewest keeps the newest stamps.
func (s *Store) trimNewest(ctx context.Context, _ float64) error {
	for i := range s.table {
		if s.table[i].Half != 0 {
			continue
		}
		r := &hot.SetRead{Family: &s.table[i], Newest: true}
		if err := s.readAll(ctx, []*hot.SetRead{r}); err != nil {
			return err
		}
		hot.Highest(r.All)
		if len(r.All) > hot.NewestKept {
			if err := s.housekeep(ctx, []command{drop(s.keys.of(r), r.All[hot.NewestKept:])}); err != nil {
				return err
			}
		}
	}
	return nil
}

// expire removes the sessions whose deadline has passed, unless it was moved since.
func (s *Store) expire(ctx context.Context, at float64) error {
	live, err := s.liveSessions(ctx)
	if err != nil {
		return err
	}
	var cmds []command
	for _, m := range live {
		if m.Score > at {
			break
		}
		c := command{"END", s.keys.expiry(), at, m.Name, key(s.keys.session(m.Name))}
		for p := range hot.Parts {
			c = append(c, key(s.keys.part(m.Name, p)))
		}
		cmds = append(cmds, c)
	}
	return s.housekeep(ctx, cmds)
}

// dropEpochs deletes the sets of epochs that no reader adds any more. An epoch lasts 32 half-lives, so there is
// something to do once in months, and only then are the keys of owned sets searched for.
func (s *Store) dropEpochs(ctx context.Context, at float64) error {
	meta, err := s.client.HGetAll(ctx, s.keys.meta()).Result()
	if err != nil {
		return fmt.Errorf("read epochs: %w", err)
	}
	var cmds []command
	for i := range s.table {
		f := &s.table[i]
		if f.Half == 0 {
			continue
		}
		k := f.Epoch(at)
		before, err := strconv.ParseInt(meta[metaEpoch+f.Name], 10, 64)
		if err == nil && before >= k {
			continue
		}
		cmds = append(cmds, command{"GROW", s.keys.meta(), metaEpoch + f.Name, k})
		if err != nil {
			continue // the first tick: Apply writes no epoch that is too old
		}
		names, err := s.scan(ctx, s.keys.family(f))
		if err != nil {
			return err
		}
		for _, name := range names {
			epoch, _, _ := strings.Cut(name, ":")
			if old, err := strconv.ParseInt(epoch, 10, 64); err == nil && old < k-1 {
				cmds = append(cmds, command{"DEL", s.keys.family(f) + name})
			}
		}
	}
	return s.housekeep(ctx, cmds)
}

// decay drops members of global sets that are worth too little.
func (s *Store) decay(ctx context.Context, at float64) error {
	for i := range s.table {
		f := &s.table[i]
		if !f.Global() || f.Half == 0 {
			continue
		}
		for _, k := range s.epochs(f) {
			low := "(" + strconv.FormatFloat(hot.TooLow(f.Worth(at, k)), 'g', -1, 64)
			set := s.keys.set(f, k, "")
			zs, err := s.client.ZRangeByScoreWithScores(ctx, set, &redis.ZRangeBy{Min: "-inf", Max: low}).Result()
			if err != nil {
				return fmt.Errorf("read %s: %w", f.Name, err)
			}
			fallen := members(zs)
			if fallen, err = s.unread(ctx, f, k, fallen, at); err != nil {
				return err
			}
			var cmds []command
			for chunk := range slices.Chunk(fallen, readChunk) {
				cmds = append(cmds, drop(set, chunk))
			}
			if err := s.housekeep(ctx, cmds); err != nil {
				return err
			}
		}
	}
	return nil
}

// unread keeps the members of an epoch that read as 0, together with what the other epoch has of them.
func (s *Store) unread(ctx context.Context, f *hot.Family, k int64, ms []hot.Member, at float64) (out []hot.Member, err error) {
	for chunk := range slices.Chunk(ms, readChunk) {
		names := make([]string, len(chunk))
		for i, m := range chunk {
			names[i] = m.Name
		}
		other, both := f.Beside(k, at)
		changed := &hot.SetRead{Family: s.table.Of(hot.Changed), Members: names}
		also := &hot.SetRead{Family: f, Epoch: other, Members: names}
		if err := s.readAll(ctx, []*hot.SetRead{changed, also}); err != nil {
			return nil, err
		}
		for i, m := range chunk {
			then := at
			if f.Rests {
				then = hot.Rested(at, changed.Scores[i], s.clock)
			}
			worth := m.Score * f.Worth(then, k)
			if both {
				worth += also.Scores[i] * f.Worth(then, other)
			}
			if f.Unread(worth) {
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// sweep looks at all owned sets, and removes parts of sessions that have no deadline: left by a writer that died, or by
// another program.
func (s *Store) sweep(ctx context.Context, at float64) error {
	sets, err := s.owned(ctx, func(*hot.Family) bool { return true })
	if err != nil {
		return err
	}
	if err := s.trimSets(ctx, sets, at, false); err != nil {
		return err
	}
	names, err := s.scan(ctx, s.keys.sessions())
	if err != nil {
		return err
	}
	live, err := s.liveSessions(ctx)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(live))
	for _, m := range live {
		known[colon.Replace(m.Name)] = true
	}
	var cmds []command
	for _, name := range names {
		if id, _, _ := strings.Cut(name, ":"); !known[id] {
			cmds = append(cmds, command{"DEL", s.keys.sessions() + name})
		}
	}
	return s.housekeep(ctx, cmds)
}
