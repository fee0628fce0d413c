package hot

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compose folds renames in order into one map from the name in the store to the name now.
func compose(renames [][2]string) map[string]string {
	from := map[string][]string{} // name now → names in the store that it stands for, once touched
	origins := func(n string) []string {
		if o, ok := from[n]; ok {
			return o
		}
		return []string{n}
	}
	for _, r := range renames {
		moved := append(origins(r[1]), origins(r[0])...)
		from[r[0]] = nil
		from[r[1]] = moved
	}
	out := map[string]string{}
	for now, olds := range from {
		for _, old := range olds {
			if old != now {
				out[old] = now
			}
		}
	}
	return out
}

// holder is an owned set that holds some of the names asked for.
type holder struct {
	ownedKey
	found []member
}

// holders finds the owned sets that hold any of the files. It looks at every owner: partner edges are trimmed on
// either side alone, so no set knows who holds its owner. A batch of renames pays for it once.
func (s *Store) holders(ctx context.Context, files []string) ([]holder, error) {
	owners, err := s.owners(ctx)
	if err != nil {
		return nil, err
	}
	gets := make([]*get, len(owners))
	for i, o := range owners {
		gets[i] = &get{op: opScores, key: s.keys.owned(s.families[o.family], o.epoch, o.owner), members: files}
	}
	if err := s.readAll(ctx, gets); err != nil {
		return nil, err
	}
	var out []holder
	for i, g := range gets {
		if found := present(files, g.scores); found != nil {
			out = append(out, holder{owners[i], found})
		}
	}
	slices.SortFunc(out, func(a, b holder) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.epoch, b.epoch), cmp.Compare(a.owner, b.owner))
	})
	return out, nil
}

// owners lists the owned sets of files that may exist: embedded all that are known, on a server by a scan.
func (s *Store) owners(ctx context.Context) ([]ownedKey, error) {
	var out []ownedKey
	for _, f := range s.families {
		if f.owner == nounNone || f.member != nounPath {
			continue
		}
		for _, k := range s.epochs(f) {
			if s.embedded == nil {
				names, err := s.scan(ctx, s.keys.owners(f, k))
				if err != nil {
					return nil, err
				}
				for _, n := range names {
					out = append(out, ownedKey{f.index, k, n})
				}
				continue
			}
			for r := range s.known {
				if r.noun == f.owner && s.owns(f, r) && s.exists(s.keys.owned(f, k, r.text)) {
					out = append(out, ownedKey{f.index, k, r.text})
				}
			}
		}
	}
	return out, nil
}

// epochs are the epochs of a family that may hold anything a reader adds, now or a little before.
func (s *Store) epochs(f *family) []int64 {
	if f.half == 0 {
		return []int64{0}
	}
	k, now := f.epoch(s.newest), f.epoch(s.believable(s.newest))
	return union([]int64{k, k - 1}, []int64{now, now - 1})
}

func union(a, b []int64) []int64 {
	for _, k := range b {
		if !slices.Contains(a, k) {
			a = append(a, k)
		}
	}
	return a
}

var glob = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// scan lists what follows the prefix in the keys that begin with it. Only for administration and renames.
func (s *Store) scan(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	node, err := s.node(ctx)
	if err != nil {
		return nil, err
	}
	it := node.Scan(ctx, 0, glob.Replace(prefix)+"*", 10000).Iterator()
	for it.Next(ctx) {
		out = append(out, strings.TrimPrefix(it.Val(), prefix))
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("scan %s*: %w", prefix, err)
	}
	for _, key := range s.packed.below(prefix) {
		out = append(out, strings.TrimPrefix(key, prefix))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// renames carries over what the store holds already. It is linear, so it may be done before the batch's increments,
// which Batch.Rename has moved in memory.
func (w *writes) renames(b *Batch) error {
	moved := compose(b.renames)
	if len(moved) == 0 {
		return nil
	}
	olds := slices.Sorted(maps.Keys(moved))
	// One step, however large: a second attempt, which finds another state, must not cut it elsewhere.
	w.whole = true
	defer func() { w.whole = false }()
	for _, move := range []func(map[string]string, []string) error{w.moveScores, w.moveSets, w.moveEdges, w.moveSessions} {
		if err := move(moved, olds); err != nil {
			return err
		}
	}
	w.store.carry(moved)
	// The increments that follow read what these commands leave behind.
	return w.flush(false)
}

// carry moves what is known of the files; one file's old name may be another's new one.
func (s *Store) carry(moved map[string]string) {
	known := make(map[string]uint16, len(moved))
	for old := range moved {
		s.touch(record{nounPath, old})
		known[old] = s.known[record{nounPath, old}]
		delete(s.known, record{nounPath, old})
	}
	for old, now := range moved {
		s.touch(record{nounPath, now})
		if s.embedded != nil {
			s.known[record{nounPath, now}] |= known[old]
		}
	}
}

// moveScores moves the members of the global sets.
func (w *writes) moveScores(moved map[string]string, olds []string) error {
	s := w.store
	for _, f := range s.families {
		if f.owner != nounNone || f.member != nounPath {
			continue
		}
		var keys []string
		for _, k := range s.epochs(f) {
			keys = append(keys, s.keys.global(f, k))
		}
		if f.half == 0 {
			keys = append(keys, s.keys.top(f))
		}
		for _, key := range keys {
			if s.embedded == nil { // others write: what the script finds counts, not what could be read before
				found := make([]member, len(olds))
				for i, old := range olds {
					found[i].name = old
				}
				w.move(key, found, moved, f.half == 0)
				continue
			}
			g := &get{op: opScores, key: key, members: olds}
			if err := s.readAll(w.ctx, []*get{g}); err != nil {
				return err
			}
			w.move(key, present(olds, g.scores), moved, f.half == 0)
		}
	}
	return nil
}

// present pairs names with their scores, without those that are not there.
func present(names []string, scores []float64) []member {
	var ms []member
	for i, score := range scores {
		if score != 0 {
			ms = append(ms, member{names[i], score})
		}
	}
	return ms
}

// move carries scores to other members of the same set; the later of two stamps stays. All old names go first: one
// file's old name may be another's new one.
func (w *writes) move(key string, found []member, moved map[string]string, stamp bool) {
	if len(found) == 0 {
		return
	}
	if w.store.embedded == nil {
		args := []any{"MOVE", key, "add"}
		if stamp {
			args[2] = "max"
		}
		for _, m := range found {
			args = append(args, m.name, moved[m.name])
		}
		w.add(args...)
		return
	}
	w.add(remove(key, found)...)
	for _, m := range found {
		if stamp {
			w.add("ZADD", key, "GT", m.score, moved[m.name])
		} else {
			w.add("ZINCRBY", key, m.score, moved[m.name])
		}
	}
}

// moveSets moves the sets that renamed files own. Members that are renamed too take their new names; an edge of which
// both ends became one file is dropped.
func (w *writes) moveSets(moved map[string]string, olds []string) error {
	s := w.store
	for _, f := range s.families {
		if f.owner != nounPath {
			continue
		}
		for _, k := range s.epochs(f) {
			if s.embedded == nil {
				if err := w.join(f, k, moved, olds); err != nil {
					return err
				}
				continue
			}
			gets := make([]*get, len(olds))
			for i, old := range olds {
				gets[i] = &get{op: opAll, key: s.keys.owned(f, k, old)}
			}
			if err := s.readAll(w.ctx, gets); err != nil {
				return err
			}
			for _, g := range gets {
				if len(g.set) > 0 {
					w.add("DEL", g.key)
				}
			}
			for i, g := range gets {
				now := moved[olds[i]]
				for _, m := range ascending(g.set) {
					name := m.name
					if n, ok := moved[name]; ok && f.member == nounPath {
						name = n
					}
					if name != now || f.member != nounPath {
						w.add("ZINCRBY", s.keys.owned(f, k, now), m.score, name)
					}
				}
				if len(g.set) > 0 {
					delete(s.grown, ownedKey{f.index, k, olds[i]})
					s.grown[ownedKey{f.index, k, now}] = true
				}
			}
		}
	}
	return nil
}

// join is moveSets for one family and epoch on a server, in the script.
func (w *writes) join(f *family, k int64, moved map[string]string, olds []string) error {
	s := w.store
	gets := make([]*get, len(olds))
	for i, old := range olds {
		gets[i] = &get{op: opCard, key: s.keys.owned(f, k, old)}
	}
	if err := s.readAll(w.ctx, gets); err != nil {
		return err
	}
	args := []any{"JOIN", s.keys.owned(f, k, olds[0]), len(olds)}
	for i, old := range olds {
		owner := moved[old]
		if f.member != nounPath {
			owner = "" // a tag may be called like the file
		}
		args = append(args, touched(s.keys.owned(f, k, old)), touched(s.keys.owned(f, k, moved[old])), owner)
		if gets[i].card > 0 { // the next tick looks at what was written, here as elsewhere
			delete(s.grown, ownedKey{f.index, k, old})
			s.grown[ownedKey{f.index, k, moved[old]}] = true
		}
	}
	if f.member == nounPath {
		for _, old := range olds {
			args = append(args, old, moved[old])
		}
	}
	w.add(args...)
	return nil
}

// moveEdges renames members in the sets of owners that keep their name.
func (w *writes) moveEdges(moved map[string]string, olds []string) error {
	s := w.store
	hs, err := s.holders(w.ctx, olds)
	if err != nil {
		return err
	}
	for _, h := range hs {
		f := s.families[h.family]
		if _, ok := moved[h.owner]; ok && f.owner == nounPath {
			continue // moveSets has it
		}
		key := s.keys.owned(f, h.epoch, h.owner)
		w.move(key, h.found, moved, false)
		if f.owner == nounPath {
			w.add("ZREM", key, h.owner) // an edge of which both ends are one file now
		}
		s.grown[h.ownedKey] = true
		s.touch(record{f.owner, h.owner})
	}
	return nil
}

// moveSessions renames files inside the live sessions.
func (w *writes) moveSessions(moved map[string]string, olds []string) error {
	s := w.store
	return s.eachSession(w.ctx, olds, func(id string, hash map[string]string, found [parts][]member) {
		for p := range parts {
			w.move(s.keys.part(id, p), found[p], moved, true)
		}
		for _, f := range slices.Sorted(maps.Keys(hash)) {
			if now, ok := moved[hash[f]]; ok && strings.HasPrefix(f, FieldCurrent) {
				w.add("HSET", s.keys.session(id), f, now)
			}
		}
		s.touch(record{nounSession, id})
	})
}

// eachSession calls fn for every live session that knows one of the files.
func (s *Store) eachSession(ctx context.Context, files []string, fn func(id string, hash map[string]string, found [parts][]member)) error {
	live := &get{op: opAll, key: s.keys.expiry()}
	if err := s.readAll(ctx, []*get{live}); err != nil {
		return err
	}
	for _, m := range ascending(live.set) {
		gets := []*get{{op: opHash, key: s.keys.session(m.name)}}
		for p := range parts {
			gets = append(gets, &get{op: opScores, key: s.keys.part(m.name, p), members: files})
		}
		if err := s.readAll(ctx, gets); err != nil {
			return err
		}
		var found [parts][]member
		hit := false
		for f, v := range gets[0].hash {
			hit = hit || strings.HasPrefix(f, FieldCurrent) && slices.Contains(files, v)
		}
		for p := range parts {
			if p != partTerms {
				found[p] = present(files, gets[p+1].scores)
				hit = hit || found[p] != nil
			}
		}
		if hit {
			fn(m.name, gets[0].hash, found)
		}
	}
	return nil
}
